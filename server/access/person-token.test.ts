/** People who sign in at an OpenID Connect issuer, through a real Busbar. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { inviteOwner } from "../commands/owner-access.ts";
import { createLog } from "../../ground/log.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { CLIENT_ID, startIssuer, type TestIssuer } from "../../tests/harness/issuer.ts";

const issuer = await startIssuer();
const busbar = await shareTestBusbar({ env: issuer.env });
after(() => issuer.close());

describe("signed-in people", () => {
  let orgId: string;
  before(async () => {
    orgId = busbar.server.bootstrap?.orgId ?? "";
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      log: createLog("silent"),
    });
    await inviteOwner(database, { project: "default", email: "olga@example.com" });
    await database.close();
    const accept = { invitedEmail: "olga@example.com" };
    assert.equal((await busbar.call("POST", "/v1/invites:accept", accept, await olga())).status, 200);
  });
  const olga = () => sign({ sub: "olga", email: "olga@example.com" });
  const sign: TestIssuer["sign"] = (claims, kid) => issuer.sign(claims, kid);
  const invite = async (email: string) =>
    busbar.call("POST", `/v1/orgs/${orgId}/invites`, { email }, await olga());

  test("a person who signs in for the first time is registered and has access to nothing", async () => {
    const me = await busbar.call("GET", "/v1/my-info", undefined, await sign());
    assert.equal(me.status, 200, me.text);
    assert.equal(me.body.builder.fullName, "Grace Hopper");
    assert.equal(me.body.builder.idpProvider, issuer.url);
    assert.deepEqual(me.body.projectRoles, {});
    assert.equal((await busbar.inProject("GET", "/connections", undefined, await sign())).status, 403);
    assert.equal(
      (await busbar.call("GET", `/v1/orgs/${orgId}/builders`, undefined, await sign())).status,
      403,
    );
    assert.deepEqual((await busbar.call("GET", "/v1/projects", undefined, await sign())).body, []);
  });

  test("an invitation is accepted with the address that the issuer has verified, and gives access to the organisation", async () => {
    const invited = await invite("grace@example.com");
    assert.equal(invited.status, 201, invited.text);
    const accept = { invitedEmail: "grace@example.com" };
    const stranger = await sign({ sub: "eve", email: "eve@example.com" });
    assert.equal((await busbar.call("POST", "/v1/invites:accept", accept, stranger)).status, 403);
    for (const verified of [false, "false", 0, "", null, undefined]) {
      const unverified = await sign({ sub: "eve", email_verified: verified });
      assert.equal((await busbar.call("POST", "/v1/invites:accept", accept, unverified)).status, 403);
    }
    const accepted = await busbar.call("POST", "/v1/invites:accept", accept, await sign());
    assert.equal(accepted.status, 200, accepted.text);
    assert.equal(accepted.body.orgRole.org.id, orgId);
    assert.equal(accepted.body.projectRoles[busbar.projectId].project.name, "default");
    assert.equal((await busbar.call("POST", "/v1/invites:accept", accept, await sign())).status, 404);
    const shown = await busbar.call(
      "GET",
      `/v1/orgs/${orgId}/invites/${invited.body.id}`,
      undefined,
      await sign(),
    );
    assert.equal(shown.body.status, "accepted", shown.text);
    assert.equal((await busbar.call("GET", `/v1/orgs/${orgId}/builders`)).body.length, 3);
    assert.equal((await busbar.inProject("GET", "/connections", undefined, await sign())).status, 200);
    const project = { orgId, name: "by-grace", appName: "App" };
    assert.equal((await busbar.call("POST", "/v1/projects", project, await sign())).status, 201);
    assert.equal((await busbar.call("GET", "/v1/projects", undefined, await sign())).body.length, 2);
  });

  test("a revoked invitation cannot be accepted", async () => {
    const { body } = await invite("alan@example.com");
    const path = `/v1/orgs/${orgId}/invites/${body.id}`;
    assert.equal((await busbar.call("DELETE", path, undefined, await olga())).status, 204);
    const alan = await sign({ sub: "alan", email: "alan@example.com" });
    const accept = { invitedEmail: "alan@example.com" };
    assert.equal((await busbar.call("POST", "/v1/invites:accept", accept, alan)).status, 404);
  });

  test("tokens of another issuer, for another application, expired or by an unknown key are refused", async () => {
    const now = Math.floor(Date.now() / 1_000);
    for (const [claims, kid] of [
      [{ iss: "https://evil.example" }],
      [{ aud: "another-app" }],
      [{ aud: "another-api", azp: CLIENT_ID }],
      [{ aud: undefined, azp: "another-app" }],
      [{ iat: now - 100, exp: now - 10 }],
      [{ sub: undefined }],
      [{ sub: "" }],
      [{ exp: now + 10 * 365 * 86_400 }],
      [{ events: { "http://schemas.openid.net/event/backchannel-logout": {} } }],
      [{}, "unknown"],
    ] as const) {
      const answer = await busbar.call("GET", "/v1/my-info", undefined, await sign(claims, kid));
      assert.equal(answer.status, 401, JSON.stringify(claims) + answer.text);
    }
    const withoutAudience = await sign({ aud: undefined, azp: CLIENT_ID });
    assert.equal((await busbar.call("GET", "/v1/my-info", undefined, withoutAudience)).status, 200);
  });

  test("the issuer's clock may be a minute ahead, and no more", async () => {
    // At each call: on a busy machine all of them may take longer than that minute.
    const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;
    for (const [seconds, status] of [
      [2, 200],
      [50, 200],
      [120, 401],
    ] as const)
      for (const claim of ["nbf", "iat"]) {
        const at = inSeconds(seconds);
        const claims = claim === "nbf" ? { nbf: at } : { iat: at, exp: at + 600 };
        const answer = await busbar.call(
          "GET",
          "/v1/my-info",
          undefined,
          await sign({ sub: "ahead", ...claims }),
        );
        assert.equal(answer.status, status, JSON.stringify(claims) + answer.text);
      }
  });

  test("an API key invites nobody, and a member who is not an owner neither", async () => {
    const path = `/v1/orgs/${orgId}/invites`;
    assert.equal((await busbar.call("POST", path, { email: "mallory@evil.example" })).status, 403);
    assert.equal((await busbar.call("GET", path)).status, 403);
    await invite("ed@example.com");
    const ed = await sign({ sub: "ed", email: "ed@example.com" });
    await busbar.call("POST", "/v1/invites:accept", { invitedEmail: "ed@example.com" }, ed);
    assert.equal((await busbar.call("GET", path, undefined, ed)).status, 200);
    assert.equal((await busbar.call("POST", path, { email: "mallory@evil.example" }, ed)).status, 403);
  });

  test("an address counts without `email_verified` only where the operator trusts the issuer", async () => {
    await invite("tom@example.com");
    const tom = await sign({ sub: "tom", email: "tom@example.com", email_verified: undefined });
    const trusting = await busbar.sibling({ BUSBAR_OIDC_TRUST_EMAIL: "true" });
    const accept = (base: string) =>
      fetch(`${base}/invites:accept`, {
        method: "POST",
        headers: { ...tom, "content-type": "application/json" },
        body: JSON.stringify({ invitedEmail: "tom@example.com" }),
      });
    assert.equal((await accept(busbar.server.urls.base)).status, 403);
    assert.equal((await accept(trusting.urls.base)).status, 200);
  });

  test("an API key does not identify a person", async () => {
    assert.equal((await busbar.call("GET", "/v1/my-info")).status, 403);
  });
});
