/** People who sign in with an API key, through a real Busbar. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openTestBusbar, shareTestBusbar } from "../../tests/harness/busbar.ts";
import { bearer } from "../../tests/harness/customer-tokens.ts";
import { startIssuer } from "../../tests/harness/issuer.ts";
import { createLog } from "../../ground/log.ts";
import { newApiKey } from "../../ground/ids.ts";
import { insertApiKey } from "../store/access/api-keys.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { upsertBuilder } from "../store/access/people.ts";
import { bootstrap } from "./bootstrap.ts";
import { openFailedAttempts } from "./sign-in-sessions.ts";

const busbar = await shareTestBusbar({ env: { BUSBAR_BOOTSTRAP_EMAIL: "Owner@Example.com" } });

describe("signing in with an API key", () => {
  const signIn = (apiKey: string) => busbar.call("POST", "/v1/sessions", { apiKey }, { "x-api-key": "" });
  const signedIn = async (apiKey = busbar.apiKey) => {
    const { status, body, text } = await signIn(apiKey);
    assert.equal(status, 201, text);
    return bearer(body.token);
  };
  const me = (headers: Record<string, string>) => busbar.call("GET", "/v1/my-info", undefined, headers);
  const createKey = (body: object, headers?: Record<string, string>) =>
    busbar.inProject("POST", "/api-keys", body, headers);

  test("the key of the first start signs in the owner of the organisation", async () => {
    const answer = await signIn(busbar.apiKey);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.builderId, busbar.server.bootstrap?.builderId);
    const hours = (Date.parse(answer.body.expireTime) - Date.now()) / 3_600_000;
    assert.ok(hours > 11.9 && hours <= 12, String(hours));
    const info = await me(bearer(answer.body.token));
    assert.equal(info.status, 200, info.text);
    assert.equal(info.body.orgRole.role, "org:owner");
    assert.equal(info.body.builder.primaryEmail, "Owner@Example.com");
    assert.equal(info.body.projectRoles[busbar.projectId].project.name, "default");
    const headers = bearer(answer.body.token);
    assert.equal((await busbar.inProject("GET", "/connections", undefined, headers)).status, 200);
  });

  test("signing out ends that session and no other", async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    assert.equal((await busbar.call("DELETE", "/v1/sessions/current", undefined, one)).status, 204);
    assert.equal((await me(one)).status, 401);
    assert.equal((await me(other)).status, 200);
    assert.equal((await busbar.call("DELETE", "/v1/sessions/current")).status, 403);
  });

  test("an ordinary API key cannot be used to sign in, nor to create a key that can", async () => {
    const { key } = (await createKey({ label: "ci" })).body;
    assert.equal((await signIn(key)).status, 403);
    assert.equal((await createKey({ label: "more", signIn: true })).status, 403);
  });

  test("a signed-in person replaces the key that signs them in; deleting a key ends its sessions", async () => {
    const headers = await signedIn();
    const made = await createKey({ label: "laptop", signIn: true }, headers);
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.signIn, true);
    const mine = await signedIn(made.body.key);
    assert.equal((await me(mine)).body.builder.id, busbar.server.bootstrap?.builderId);
    assert.equal((await busbar.inProject("DELETE", `/api-keys/${made.body.id}`)).status, 204);
    assert.equal((await me(mine)).status, 401);
    assert.equal((await me(headers)).status, 200);
  });

  test("deactivating a key or making it one for browsers ends its sessions permanently", async () => {
    const headers = await signedIn();
    for (const [off, back] of [
      [{ active: false }, { active: true }],
      [{ scopes: ["frontend"] }, { scopes: ["full"] }],
    ]) {
      const made = (await createKey({ label: "laptop", signIn: true }, headers)).body;
      const mine = await signedIn(made.key);
      const path = `/api-keys/${made.id}`;
      const patch = (apiKey: object) =>
        busbar.inProject("PATCH", path, { updateMask: Object.keys(apiKey), apiKey });
      assert.equal((await patch(off ?? {})).status, 200);
      assert.equal((await me(mine)).status, 401);
      assert.notEqual((await signIn(made.key)).status, 201);
      assert.equal((await patch(back ?? {})).status, 200);
      assert.equal((await me(mine)).status, 401, "what was ended must not come back");
      assert.equal((await signIn(made.key)).status, 201);
    }
  });

  test("the token is stored as a digest only, and expires", async () => {
    const { token } = (await signIn(busbar.apiKey)).body;
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      log: createLog("silent"),
    });
    const { rows } = await database.pool.query("select row_to_json(sessions)::text as row from sessions");
    assert.ok(rows.length > 0);
    assert.equal(
      rows.some(({ row }) => row.includes(token)),
      false,
    );
    await database.pool.query("update sessions set expire_time = now() - interval '1 second'");
    await database.close();
    assert.equal((await me(bearer(token))).status, 401);
  });

  test("an address that the operator gave counts as verified for invitations of other organisations", async () => {
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      log: createLog("silent"),
    });
    const other = await bootstrap(database.queries, {
      org: "Other",
      project: "other",
      email: "bo@other.example",
    });
    await database.close();
    const orgId = busbar.server.bootstrap?.orgId ?? "";
    const owner = await signedIn(busbar.apiKey);
    const invites = `/v1/orgs/${orgId}/invites`;
    const invited = await busbar.call("POST", invites, { email: "bo@other.example" }, owner);
    assert.equal(invited.status, 201, invited.text);
    const bo = await signedIn(other.apiKey);
    const accept = (invitedEmail: string) => busbar.call("POST", "/v1/invites:accept", { invitedEmail }, bo);
    assert.equal((await accept("owner@example.com")).status, 403);
    const accepted = await accept("bo@other.example");
    assert.equal(accepted.status, 200, accepted.text);
    assert.ok(accepted.body.projectRoles[busbar.projectId]);
    assert.equal((await busbar.inProject("GET", "/connections", undefined, bo)).status, 200);
  });

  test("an address from an earlier issuer does not count as verified", async () => {
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      log: createLog("silent"),
    });
    const { id } = await upsertBuilder(database.queries, {
      idpProvider: "https://issuer.example",
      idpRef: "mallory",
      firstName: null,
      lastName: null,
      fullName: null,
      primaryEmail: "ceo@acme.example",
    });
    const key = newApiKey();
    const { projectId } = busbar;
    await insertApiKey(database.queries, { key, projectId, label: "x", scopes: ["full"], builderId: id });
    await database.close();
    const orgId = busbar.server.bootstrap?.orgId ?? "";
    const owner = await signedIn(busbar.apiKey);
    await busbar.call("POST", `/v1/orgs/${orgId}/invites`, { email: "ceo@acme.example" }, owner);
    const mallory = await signedIn(key);
    const accept = { invitedEmail: "ceo@acme.example" };
    assert.equal((await busbar.call("POST", "/v1/invites:accept", accept, mallory)).status, 403);
  });

  test("a pending invitation ends with the key that its maker signed in with", async () => {
    const orgId = busbar.server.bootstrap?.orgId ?? "";
    const owner = await signedIn(busbar.apiKey);
    const key = await busbar.inProject("POST", "/api-keys", { label: "leaked", signIn: true }, owner);
    const thief = await signedIn(key.body.key);
    const invites = `/v1/orgs/${orgId}/invites`;
    const invited = await busbar.call("POST", invites, { email: "mallory@evil.example" }, thief);
    assert.equal(invited.status, 201, invited.text);
    assert.equal((await busbar.inProject("DELETE", `/api-keys/${key.body.id}`)).status, 204);
    const shown = await busbar.call("GET", `${invites}/${invited.body.id}`, undefined, owner);
    assert.equal(shown.body.status, "revoked");
  });

  test("after too many wrong keys an address is blocked in all processes, even with the right key", async () => {
    const { urls } = await busbar.sibling();
    const signInThere = (apiKey: string) =>
      fetch(`${urls.base}/sessions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ apiKey }),
      });
    assert.equal((await signIn("wrong")).status, 401);
    for (let tries = 0; tries < 5; tries += 1) {
      await signIn("wrong");
      await signInThere("wrong");
    }
    const refused = await signIn(busbar.apiKey);
    assert.equal(refused.status, 429, refused.text);
    assert.ok(refused.headers.get("retry-after"));
    assert.equal((await signInThere(busbar.apiKey)).status, 429);
  });

  test("all addresses of an IPv6 subscriber count as one, and those of IPv4 however they are written", async () => {
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      log: createLog("silent"),
    });
    const failed = openFailedAttempts(database.queries);
    for (let tries = 0; tries < 5; tries += 1) {
      await failed.note(`2a01:db8:1:2::${tries}`);
      await failed.note("2a01:db8:1:2:ffff:1:1:1");
      await failed.note("::ffff:192.0.2.1");
      await failed.note("192.0.2.1");
    }
    await assert.rejects(failed.require("2a01:db8:1:2:3:4:5:6"), /wrong keys/);
    await assert.rejects(failed.require("192.0.2.1"), /wrong keys/);
    await failed.require("2a01:db8:1:3::1");
    await failed.require("::ffff:192.0.2.2");
    await database.close();
  });
});

test("with an issuer, signing in with a key is refused and the answer names the issuer", async (t) => {
  const issuer = await startIssuer();
  t.after(() => issuer.close());
  const busbar = await openTestBusbar({ env: issuer.env });
  t.after(() => busbar.stop());
  const answer = await busbar.call("POST", "/v1/sessions", { apiKey: busbar.apiKey });
  assert.equal(answer.status, 403, answer.text);
  assert.ok(answer.body.detail.includes(issuer.url));
  const session = bearer("bbs_old");
  assert.equal((await busbar.call("GET", "/v1/my-info", undefined, session)).status, 403);
  const out = await busbar.call("DELETE", "/v1/sessions/current", undefined, await issuer.sign());
  assert.equal(out.status, 404, out.text);
});
