/** Revisions through the API: dry runs, the list, and the file that was deployed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";

const MANIFEST = `# Who asks for changes: the team of sales.
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    write:
      objects:
        - objectName: contacts
    proxy:
      enabled: true # for the export
`;
const OTHER = `  - name: other
    provider: hubspot
    proxy:
      enabled: true
`;

interface ListedIntegration {
  name: string;
  latestRevision: { number: number };
  installationCount: number;
  unhealthyInstallationCount: number;
}

const busbar = await shareTestBusbar();

const customer = {
  provider: "hubspot",
  manifest: MANIFEST,
  integration: "crm",
  groupRef: "acme",
} as const;
await connectCustomer(busbar, customer);

describe("revisions", () => {
  const deploy = (sourceYaml: string, query = "") =>
    busbar.inProject("PUT", `/integrations:batch${query}`, { sourceYaml });
  const listed = async (query = "") =>
    (await busbar.inProject("GET", `/integrations/crm/revisions${query}`)).body;

  test("the list of integrations tells number and author of the revision, and how many installations are unhealthy, but not to browsers", async () => {
    const connected = (groupRef: string) =>
      connectCustomer(busbar, { provider: "salesforce", objects: ["account"], skipSampling: true, groupRef });
    const { connectionId } = await connected("one");
    await connected("two");
    await deploy(`specVersion: 1.0.0\nintegrations:\n${OTHER.replace("other", "unused")}`);
    const shown = async () => {
      const { body } = await busbar.inProject("GET", "/integrations");
      return body.map((one: ListedIntegration) => [
        one.name,
        one.latestRevision.number,
        one.installationCount,
        one.unhealthyInstallationCount,
      ]);
    };
    const unused = ["unused", 1, 0, 0];
    // Each customer was connected with a deployment of its own.
    assert.deepEqual(await shown(), [["crm", 1, 1, 0], ["salesforce", 2, 2, 0], unused]);
    busbar.sandbox.salesforce.revokeTokens();
    const check = await busbar.inProject("POST", `/connections/${connectionId}:check`);
    assert.equal(check.body.status, "bad_credentials", check.text);
    assert.deepEqual(await shown(), [["crm", 1, 1, 0], ["salesforce", 2, 2, 1], unused]);
    const { results } = (await busbar.inProject("GET", "/integrations/salesforce/revisions")).body;
    const { body } = await busbar.inProject("GET", "/integrations");
    assert.equal(body[1].latestRevision.createdBy, results[0].createdBy);
    assert.equal(body[1].latestRevision.number, results[0].number);
    const { key } = (await busbar.inProject("POST", "/api-keys", { label: "web", scopes: ["frontend"] }))
      .body;
    const browsers = await busbar.inProject("GET", "/integrations", undefined, { "x-api-key": key });
    assert.equal(browsers.body.length, 3);
    assert.doesNotMatch(browsers.text, /nstallationCount|createdBy|"number"/);
    for (const name of ["salesforce", "unused"])
      assert.equal((await busbar.inProject("DELETE", `/integrations/${name}`)).status, 204);
  });

  test("a dry run says what would change and for how many installations, and stores nothing", async () => {
    const { results } = await listed();
    const changed = MANIFEST.replace("objectName: contacts", "objectName: companies") + OTHER;
    const answer = await deploy(changed, "?dryRun=true");
    assert.equal(answer.status, 200, answer.text);
    const [crm, other] = answer.body;
    assert.deepEqual([crm.name, crm.change, crm.installationCount], ["crm", "changed", 1]);
    assert.deepEqual(crm.changes, [
      { kind: "removed", path: "write.objects.contacts" },
      { kind: "added", path: "write.objects.companies" },
    ]);
    const lost = crm.warnings.find(({ rule }: { rule: string }) => rule === "written-names");
    assert.match(lost.message, /contacts.* \(1 installation\)/);
    assert.deepEqual([other.change, other.changes, other.installationCount], ["added", [], 0]);
    assert.deepEqual((await listed()).results, results);
    assert.equal((await busbar.inProject("GET", "/integrations/other")).status, 404);
    const [same] = (await deploy(MANIFEST, "?dryRun=true")).body;
    assert.deepEqual([same.change, same.changes], ["unchanged", []]);
  });

  test("a dry run is refused as the deployment would be", async () => {
    const without = MANIFEST.replace("objectName: contacts", "objectName: companies");
    const lossy = await deploy(without, "?dryRun=true&destructive=false");
    assert.deepEqual([lossy.status, (await deploy(without, "?destructive=false")).status], [409, 409]);
    const invalid = await deploy(MANIFEST.replace("hubspot", "nothing"), "?dryRun=true");
    assert.deepEqual([invalid.status, invalid.body.issues.length], [422, 1], invalid.text);
    const moved = await deploy(MANIFEST.replace("hubspot", "salesforce"), "?dryRun=true");
    assert.equal(moved.status, 422, moved.text);
  });

  test("a revision keeps the file with its comments, its number and its author", async () => {
    const second = `${MANIFEST}# The end.\n`;
    assert.equal((await deploy(second)).status, 200);
    const { results } = await listed();
    assert.deepEqual(
      results.map(({ number, current }: { number: number; current: boolean }) => [number, current]),
      [
        [2, true],
        [1, false],
      ],
    );
    const get = async (id: string) =>
      (await busbar.inProject("GET", `/integrations/crm/revisions/${id}`)).body;
    const [newest, oldest] = [await get(results[0].id), await get(results[1].id)];
    assert.deepEqual([newest.source, oldest.source], [second, MANIFEST]);
    assert.match(newest.createdBy, /^apiKey:[0-9a-f-]{36}$/);
    assert.deepEqual([newest.number, newest.content.name, newest.specVersion], [2, "crm", "1.0.0"]);
  });

  test("the list comes in pages, and with `after` shows newer revisions only", async () => {
    const all = (await listed()).results;
    const first = await listed("?pageSize=1");
    assert.deepEqual(first.results, [all[0]]);
    const rest = await listed(`?pageToken=${first.pagination.nextPageToken}`);
    assert.deepEqual([rest.results, rest.pagination], [all.slice(1), { done: true }]);
    assert.deepEqual((await listed(`?after=${all[1].id}`)).results, [all[0]]);
    assert.deepEqual((await listed(`?after=${all[0].id}`)).results, []);
  });

  test("a revision that was not deployed from a file has no source; one of another integration is not found", async () => {
    const content = { proxy: { enabled: true } };
    const latestRevision = { specVersion: "1.0.0", content };
    const body = { name: "plain", provider: "hubspot", latestRevision };
    assert.equal((await busbar.inProject("POST", "/integrations", body)).status, 201);
    const [{ id }] = (await busbar.inProject("GET", "/integrations/plain/revisions")).body.results;
    const found = await busbar.inProject("GET", `/integrations/plain/revisions/${id}`);
    assert.deepEqual([found.status, "source" in found.body], [200, false], found.text);
    assert.equal((await busbar.inProject("GET", `/integrations/crm/revisions/${id}`)).status, 404);
  });
});
