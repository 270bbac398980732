/** Roles of people and their end, through a real Busbar. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { startIssuer } from "../../../tests/harness/issuer.ts";

type Headers = Record<string, string>;

const issuer = await startIssuer();
const busbar = await shareTestBusbar({ env: issuer.env });
after(() => issuer.close());

const ada: Headers = await issuer.sign({ sub: "ada", email: "ada@acme.example" });
const path: string = `/v1/orgs/${(await busbar.call("POST", "/v1/orgs", { label: "Acme" }, ada)).body.id}`;

describe("memberships", () => {
  const getId = async (headers: Headers): Promise<string> =>
    (await busbar.call("GET", "/v1/my-info", undefined, headers)).body.builder.id;
  const join = async (sub: string, role?: string): Promise<{ headers: Headers; id: string }> => {
    const email = `${sub}@acme.example`;
    const headers = await issuer.sign({ sub, email });
    const invited = await busbar.call("POST", `${path}/invites`, { email, role }, ada);
    assert.deepEqual([invited.status, invited.body.role], [201, role ?? "editor"], invited.text);
    const accepted = await busbar.call("POST", "/v1/invites:accept", { invitedEmail: email }, headers);
    assert.equal(accepted.body.orgRoles[0].role, `org:${role ?? "editor"}`, accepted.text);
    return { headers, id: await getId(headers) };
  };
  const change = (id: string, role: string, by = ada) =>
    busbar.call("PATCH", `${path}/memberships/${id}`, { role }, by);
  const remove = (id: string, by = ada) => busbar.call("DELETE", `${path}/memberships/${id}`, undefined, by);

  test("an invitation carries the role, and the list of people shows it", async () => {
    const { id } = await join("vera", "viewer");
    await join("ed");
    const listed = await busbar.call("GET", `${path}/builders`, undefined, ada);
    const roles = listed.body.map((row: { role: string }) => row.role);
    assert.deepEqual(roles.toSorted(), ["editor", "owner", "viewer"]);
    assert.equal((await change(id, "support")).body.role, "support");
    assert.equal((await change(id, "admin")).status, 400);
  });

  test("only owners change and remove others; everybody may leave", async () => {
    const bob = await join("bob", "support");
    const eve = await join("eve");
    assert.equal((await change(bob.id, "owner", bob.headers)).status, 403);
    assert.equal((await remove(bob.id, eve.headers)).status, 403);
    assert.equal((await remove(bob.id, bob.headers)).status, 204);
    assert.equal((await busbar.call("GET", path, undefined, bob.headers)).status, 403);
    assert.equal((await remove(eve.id)).status, 204);
    assert.equal((await busbar.call("GET", path, undefined, eve.headers)).status, 403);
    assert.equal((await remove(eve.id)).status, 404);
    assert.equal((await change(eve.id, "viewer")).status, 404);
  });

  test("the last owner is neither removed nor lowered, not even by two calls at once", async () => {
    const own = await getId(ada);
    assert.equal((await remove(own)).status, 409);
    assert.equal((await change(own, "editor")).status, 409);
    assert.equal((await change(own, "owner")).status, 200);
    const olga = await join("olga", "owner");
    const statuses = (await Promise.all([remove(own, olga.headers), remove(olga.id)])).map(
      ({ status }) => status,
    );
    assert.equal(statuses.filter((status) => status === 204).length, 1, statuses.join());
  });

  test("a person sees the roles in all their organisations", async () => {
    const zoe = await issuer.sign({ sub: "zoe", email: "zoe@zoe.example" });
    for (const label of ["One", "Two"]) await busbar.call("POST", "/v1/orgs", { label }, zoe);
    const { body } = await busbar.call("GET", "/v1/my-info", undefined, zoe);
    assert.deepEqual(
      body.orgRoles.map(({ role, org }: { role: string; org: { label: string } }) => [role, org.label]),
      [
        ["org:owner", "One"],
        ["org:owner", "Two"],
      ],
    );
    assert.deepEqual(body.orgRole, body.orgRoles[0]);
  });
});
