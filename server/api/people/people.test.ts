/** People through the API. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { inviteOwner } from "../../commands/owner-access.ts";
import { createLog } from "../../../ground/log.ts";
import { openDatabase } from "../../store/database/open-database.ts";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { startIssuer } from "../../../tests/harness/issuer.ts";

const issuer = await startIssuer();
const busbar = await shareTestBusbar({ env: issuer.env });
after(() => issuer.close());

describe("people", () => {
  const accept = (invitedEmail: string, headers: Record<string, string>) =>
    busbar.call("POST", "/v1/invites:accept", { invitedEmail }, headers);

  test("a person sees themselves, and their roles once an invitation is accepted", async () => {
    const ada = await issuer.sign({ sub: "ada", email: "ada@acme.example" });
    const before = await busbar.call("GET", "/v1/my-info", undefined, ada);
    assert.deepEqual(before.body.projectRoles, {}, before.text);
    const orgId = busbar.server.bootstrap?.orgId;
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      dataUrl: busbar.dataUrl,
      log: createLog("silent"),
    });
    await inviteOwner(database, { project: "default", email: "ada@acme.example" });
    await database.close();
    const accepted = await accept("Ada@acme.example", ada);
    assert.equal(accepted.status, 200, accepted.text);
    assert.equal(accepted.body.orgRole.org.id, orgId);
    assert.deepEqual(Object.keys(accepted.body.projectRoles), [busbar.projectId]);
    assert.deepEqual((await busbar.call("GET", "/v1/my-info", undefined, ada)).body, accepted.body);
  });

  test("an invitation for another address is refused with 403, a missing one with 404", async () => {
    const bob = await issuer.sign({ sub: "bob", email: "bob@elsewhere.example" });
    assert.equal((await accept("ada@acme.example", bob)).status, 403);
    assert.equal((await accept("bob@elsewhere.example", bob)).status, 404);
  });

  test("an API key is refused with 403", async () => {
    assert.equal((await busbar.call("GET", "/v1/my-info")).status, 403);
  });
});
