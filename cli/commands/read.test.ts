/** `busbar read`, `pause`, `unpause` and `search` against a real server and a simulated HubSpot. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";
import { openSink, type Sink } from "../../tests/harness/deliveries/sink.ts";
import { runCli } from "../../tests/harness/command-line.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: sink
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: email }, { fieldName: firstname, mapToName: givenName }]
`;

describe("reading by command", () => {
  let server: TestBusbar;
  let sink: Sink;
  before(async () => {
    [server, sink] = await Promise.all([openTestBusbar(), openSink()]);
    server.sandbox.hubspot.setLimits("off");
    await addWebhook(server, "sink", `${sink.url}/read`);
    const contacts = { objectName: "contacts", selectedFields: {}, selectedFieldMappings: {} };
    await connectCustomer(server, {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "crm",
      groupRef: "acme",
      content: { read: { objects: { contacts } } },
    });
  });
  after(async () => {
    await server?.stop();
    await sink?.close();
  });

  const busbar = (...args: string[]) =>
    runCli(args, {
      env: { BUSBAR_URL: new URL(server.server.urls.base).origin, BUSBAR_API_KEY: server.apiKey },
    });
  const read = (...args: string[]) => busbar("read", "crm", "person", "--group", "acme", ...args);
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await busbar(...args, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  test("a read that is waited for ends with its operation, and its records are delivered", async () => {
    const { code, stdout, stderr } = await read("--wait");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^status: success$/m);
    assert.match(stdout, /^result: "\[person\] 5 records read"$/m);
    assert.match(stdout, /^ +readType: triggered$/m);
    assert.match(stdout, /^ +recordsProcessed: 5$/m);
  });

  test("a read that is not waited for names its operation, which can be followed", async () => {
    const { code, stdout, stderr } = await read("--since", "1h");
    assert.equal(code, 0, stderr);
    const [, id = ""] = /^accepted operation (\S+)$/m.exec(stdout) ?? [];
    assert.match(stderr, new RegExp(`busbar operations ${id} --follow`));
    const operation = await json("operations", id, "--follow");
    assert.equal(operation.status, "success");
    assert.equal(operation.result, "[person] No new data found");
  });

  test("a read that fails ends with exit code 1 and says why", async () => {
    const body = { status: "error", category: "VALIDATION_ERROR", message: "no" };
    server.sandbox.addFault({ provider: "hubspot", path: "/objects/contacts", status: 400, body });
    const { code, stdout } = await read("--wait");
    server.sandbox.clearFaults();
    assert.equal(code, 1);
    assert.match(stdout, /^status: failure$/m);
    assert.match(stdout, /Error reading from provider/);
  });

  test("a dry run shows the request and reads nothing", async () => {
    const operations = ["operations", "--integration", "crm", "--group", "acme"];
    const before = (await json(...operations)).length;
    const { code, stdout } = await read("--dry-run");
    assert.equal(code, 0);
    assert.match(stdout, /^dryRun: true$/m);
    assert.match(stdout, /path: .*\/objects\/2026-03\/contacts/);
    assert.equal((await json(...operations)).length, before);
    assert.equal((await read("--dry-run", "--wait")).code, 2);
  });

  test("a time that is none, and one after now, are refused", async () => {
    const { code, stderr } = await read("--since", "yesterday");
    assert.deepEqual([code, /--since takes a time/.test(stderr)], [2, true]);
    const later = await read("--since", "2999-01-01T00:00:00Z");
    assert.deepEqual([later.code, /sinceTimestamp/.test(later.stderr)], [1, true]);
  });

  test("a paused object shows why, and an object that is not read is refused", async () => {
    const args = "pause crm --group acme --object person --note".split(" ");
    const { stdout } = await busbar(...args, "moving house");
    assert.equal(stdout, "paused person of crm for acme\n");
    const [paused, ...others] = await json("pause", "crm", "--group", "acme");
    assert.deepEqual([paused.object, paused.note, others], ["person", "moving house", []]);
    assert.deepEqual(await json("unpause", "crm", "--group", "acme"), []);
    const unknown = await busbar("pause", "crm", "--group", "acme", "--object", "persons");
    assert.deepEqual([unknown.code, /Did you mean .?person/.test(unknown.stderr)], [1, true], unknown.stderr);
  });

  test("a search shows found records as a table under your names, or as the API answers", async () => {
    const search = "search crm person --group acme --where".split(" ");
    const { stdout } = await busbar(...search, "givenName=ada");
    assert.match(stdout, /^givenName +email +ID\nAda +ada\.king@northwind\.example +501\n$/);
    const none = await busbar(...search, "email=nobody@example.com");
    assert.deepEqual([none.code, none.stdout, none.stderr], [0, "", "no record found\n"]);
    const { results } = await json(...search, "email=ada.king@northwind.example");
    assert.equal(results[0].mappedFields.givenName, "Ada");
    const wrong = await busbar(...search, "surname=King");
    assert.deepEqual([wrong.code, /no field `surname`/.test(wrong.stderr)], [1, true], wrong.stderr);
  });
});
