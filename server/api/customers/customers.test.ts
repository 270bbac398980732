/** Groups and consumers through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";

const busbar = await shareTestBusbar();

await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });

describe("groups and consumers", () => {
  const show = async () => {
    const [connection] = (await busbar.inProject("GET", "/connections?groupRef=acme")).body;
    return [connection.group.groupName, connection.consumer.consumerName];
  };

  test("creating them again renames them, for existing connections too", async () => {
    assert.deepEqual(await show(), ["acme", "acme-admin"]);
    const group = { groupRef: "acme", groupName: "Acme Inc." };
    assert.equal((await busbar.inProject("POST", "/groups", group)).status, 201);
    const consumer = { consumerRef: "acme-admin", consumerName: "Ada" };
    assert.equal((await busbar.inProject("POST", "/consumers", consumer)).status, 201);
    assert.deepEqual(await show(), ["Acme Inc.", "Ada"]);
  });

  test("missing and too long names are refused and named", async () => {
    const groups = await busbar.inProject("POST", "/groups", { groupRef: "acme" });
    assert.deepEqual([groups.status, groups.body.issues[0].name], [400, "groupName"]);
    const long = { consumerRef: "x".repeat(256), consumerName: "Ada" };
    const consumers = await busbar.inProject("POST", "/consumers", long);
    assert.deepEqual([consumers.status, consumers.body.issues[0].name], [400, "consumerRef"]);
  });

  const list = async (query: string) => {
    const answer = await busbar.inProject("GET", `/groups?${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const refs = async (query: string): Promise<string[]> =>
    (await list(query)).results.map(({ groupRef }: { groupRef: string }) => groupRef);

  test("groups are listed by reference in pages, also those without a connection, with what they have", async () => {
    for (const groupRef of ["zeta/1", "Émile & Co"])
      await busbar.inProject("POST", "/groups", { groupRef, groupName: `The ${groupRef}` });
    const all = await refs("");
    assert.deepEqual(all, ["acme", "zeta/1", "Émile & Co"]);
    const paged: string[] = [];
    let token = "";
    do {
      const page = await list(`pageSize=1${token}`);
      paged.push(...page.results.map(({ groupRef }: { groupRef: string }) => groupRef));
      token = page.pagination.done ? "" : `&pageToken=${page.pagination.nextPageToken}`;
    } while (token);
    assert.deepEqual(paged, all);
    assert.deepEqual(await refs("after=acme"), ["zeta/1", "Émile & Co"]);
    assert.deepEqual(await refs("text=THE%20Z"), ["zeta/1"]);
    assert.deepEqual(await refs("text=%C3%A9mile"), ["Émile & Co"]);
    assert.equal((await busbar.inProject("GET", "/groups?pageToken=nonsense")).status, 400);
    const shown = await busbar.inProject("GET", "/groups/acme");
    assert.deepEqual(
      [shown.body.connectionCount, shown.body.installationCount, shown.body.healthStatus],
      [1, 1, "healthy"],
    );
    const empty = (await busbar.inProject("GET", `/groups/${encodeURIComponent("zeta/1")}`)).body;
    assert.deepEqual([empty.connectionCount, empty.healthStatus], [0, undefined]);
    assert.equal((await busbar.inProject("GET", "/groups/nobody")).status, 404);
    for (const method of ["GET", "DELETE"]) {
      const misspelt = await busbar.inProject(method, "/groups/acmee");
      assert.deepEqual([misspelt.status, misspelt.body.detail.endsWith('Did you mean "acme"?')], [404, true]);
    }
  });

  test("a group with bad credentials is unhealthy, and so are its connection and its installation in searches", async () => {
    const [connection] = (await busbar.inProject("GET", "/connections?groupRef=acme")).body;
    const check = () => busbar.inProject("POST", `/connections/${connection.id}:check`);
    const fine = await check();
    assert.deepEqual([fine.body.status, fine.body.check.working], ["working", true], fine.text);
    assert.deepEqual(await refs("healthStatus=unhealthy"), []);
    busbar.sandbox.hubspot.revokeTokens();
    const refused = await check();
    assert.deepEqual(
      [refused.status, refused.body.status, refused.body.check.working],
      [200, "bad_credentials", false],
      refused.text,
    );
    assert.deepEqual(await refs("healthStatus=unhealthy"), ["acme"]);
    assert.deepEqual(await refs("healthStatus=healthy"), []);
    const search = async (path: string) => (await busbar.inProject("GET", path)).body.results;
    for (const query of [
      "status=bad_credentials",
      "provider=hubspot",
      "groupRef=acme",
      "text=ACM",
      "text=Ada",
    ]) {
      const [found, ...others] = await search(`/connections:search?${query}`);
      assert.deepEqual([found?.id, others], [connection.id, []], query);
    }
    for (const query of [
      "healthStatus=unhealthy",
      "integration=hubspot",
      "provider=hubspot",
      "groupRef=acme",
    ]) {
      const [found, ...others] = await search(`/installations:search?${query}`);
      assert.deepEqual(
        [found?.integrationName, found?.group.groupRef, others],
        ["hubspot", "acme", []],
        query,
      );
    }
    assert.deepEqual(await search("/connections:search?status=working"), []);
    assert.deepEqual(await search("/installations:search?healthStatus=healthy"), []);
    assert.deepEqual(await search("/installations:search?integration=nothing"), []);
  });
});
