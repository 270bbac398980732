/** Who comes into an organisation without an invitation, through a real Busbar with an issuer. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { startIssuer } from "../../../tests/harness/issuer.ts";

type Headers = Record<string, string>;

const issuer = await startIssuer();
const busbar = await shareTestBusbar({ env: issuer.env });
after(() => issuer.close());

describe("memberships and claimed domains", () => {
  let orgId: string;
  let ada: Headers;
  before(async () => {
    ada = await person("ada", "ada@acme.example");
    // Whoever makes an organisation owns it.
    orgId = (await busbar.call("POST", "/v1/orgs", { label: "Acme" }, ada)).body.id;
  });
  const person = (sub: string, email: string, more: object = {}): Promise<Headers> =>
    issuer.sign({ sub, email, ...more });
  const getId = async (headers: Headers): Promise<string> =>
    (await busbar.call("GET", "/v1/my-info", undefined, headers)).body.builder.id;
  const add = async (builderId: string, by: Headers, org = orgId) =>
    busbar.call("POST", `/v1/orgs/${org}/memberships`, { builderId }, by);
  const claim = (domain: string, by = ada, parentId = orgId, parentType = "org") =>
    busbar.call("POST", "/v1/claimed-domains", { domain, parentId, parentType }, by);
  const lookUp = (domain: string, by: Headers) =>
    busbar.call("GET", `/v1/claimed-domains?domain=${encodeURIComponent(domain)}`, undefined, by);

  test("an owner adds a builder, who may then enter but not add others", async () => {
    const bob = await person("bob", "bob@elsewhere.example");
    const bobId = await getId(bob);
    const path = `/v1/orgs/${orgId}`;
    assert.equal((await busbar.call("GET", path, undefined, bob)).status, 403);
    const added = await add(bobId, ada);
    assert.equal(added.status, 201, added.text);
    assert.equal(added.text, "");
    assert.equal((await busbar.call("GET", path, undefined, bob)).status, 200);
    const again = await add(bobId, ada);
    assert.equal(again.status, 400, again.text);
    assert.equal(again.body.issues[0].name, "builderId");
    assert.equal((await add(bobId, bob)).status, 400);
    const carl = await getId(await person("carl", "carl@elsewhere.example"));
    assert.equal((await add(carl, bob)).status, 403, "an editor adds nobody");
    assert.equal((await claim("bob.example", bob)).status, 403, "an editor claims nothing");
  });

  test("what does not exist is 404, and an API key is nobody", async () => {
    const nobody = "01a1fecd-d759-75de-a63c-a80eaf0833b4";
    assert.equal((await add(nobody, ada)).status, 404);
    assert.equal((await add("nonsense", ada)).status, 404);
    assert.equal((await add(nobody, ada, nobody)).status, 404);
    assert.equal((await add(nobody, ada, "nonsense")).status, 404);
    assert.equal((await add(nobody, {})).status, 403);
    assert.equal((await lookUp("acme.example", {})).status, 403);
    assert.equal((await claim("acme.example", {})).status, 403);
  });

  test("a claimed domain lets people with a vouched-for address in, and nobody else", async () => {
    const eve = await person("eve", "eve@acme.example");
    assert.equal((await add(await getId(eve), eve)).status, 403, "nothing is claimed yet");
    const claimed = await claim("https://www.ACME.example/about");
    assert.equal(claimed.status, 201, claimed.text);
    assert.equal(claimed.text, "");
    const listed = await busbar.call("GET", `/v1/orgs/${orgId}/claimed-domains`, undefined, ada);
    assert.deepEqual(
      listed.body.map((row: object) => ({ ...row, id: undefined })),
      [{ id: undefined, parentType: "org", parentId: orgId, domain: "acme.example" }],
    );
    const stranger = await person("sid", "sid@sub.acme.example");
    const unverified = await person("una", "una@acme.example", { email_verified: false });
    for (const who of [stranger, unverified]) assert.equal((await add(await getId(who), who)).status, 403);
    const joined = await add(await getId(eve), eve);
    assert.equal(joined.status, 201, joined.text);
    const info = await busbar.call("GET", "/v1/my-info", undefined, eve);
    assert.equal(info.body.orgRole.role, "org:editor");
    assert.equal((await add(await getId(stranger), eve)).status, 403, "they let nobody else in");
  });

  test("a claim is seen by the claiming owners and by people of the domain", async () => {
    assert.equal((await lookUp("someone@acme.example", ada)).status, 200);
    assert.equal((await lookUp("acme.example", await person("fay", "fay@acme.example"))).status, 200);
    assert.equal((await lookUp("acme.example", await person("gus", "gus@other.example"))).status, 404);
    assert.equal((await lookUp("unclaimed.example", ada)).status, 404);
    assert.equal((await lookUp("not a domain", ada)).status, 400);
    const gus = await person("gus", "gus@other.example");
    const listed = await busbar.call("GET", `/v1/orgs/${orgId}/claimed-domains`, undefined, gus);
    assert.equal(listed.status, 403);
  });

  test("a domain has one owner, and those of free mail providers have none", async () => {
    const zoe = await person("zoe", "zoe@other.example");
    const other = (await busbar.call("POST", "/v1/orgs", { label: "Other" }, zoe)).body.id;
    assert.equal((await claim("acme.example", zoe, other)).status, 409);
    assert.equal((await claim("acme.example")).status, 409);
    assert.equal((await claim("mine.example", zoe, orgId)).status, 403);
    for (const domain of ["gmail.com", "ada@yahoo.co.uk", "localhost", "10.0.0.1"]) {
      const refused = await claim(domain);
      assert.equal(refused.status, 400, `${domain}: ${refused.text}`);
      assert.equal(refused.body.issues[0].name, "domain");
    }
    assert.equal((await claim("x.example", ada, orgId, "project")).status, 400);
    const results = await Promise.all([claim("race.example", zoe, other), claim("race.example")]);
    assert.deepEqual(results.map(({ status }) => status).toSorted(), [201, 409]);
  });

  test("a domain that was given up lets nobody in any more and can be claimed anew", async () => {
    assert.equal((await claim("gone.example")).status, 201);
    const path = `/v1/orgs/${orgId}/claimed-domains/gone.example`;
    const dan = await person("dan", "dan@gone.example");
    assert.equal((await busbar.call("DELETE", path, undefined, dan)).status, 403);
    assert.equal((await busbar.call("DELETE", path, undefined, ada)).status, 204);
    assert.equal((await busbar.call("DELETE", path, undefined, ada)).status, 404);
    assert.equal((await add(await getId(dan), dan)).status, 403);
    assert.equal((await claim("gone.example")).status, 201);
  });
});
