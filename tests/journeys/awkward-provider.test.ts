/** A provider with awkward habits is connected, written, read and searched with nothing but a description. */
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { describeConnector } from "../../connector-kit/declarative/describe-connector.ts";
import { checkCustomProvider } from "../../connector-kit/custom-provider.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import { testAnswers } from "../harness/declarative-suite.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { runCli, type Surroundings } from "../harness/command-line.ts";
import { openConsentBrowser } from "../harness/consent.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";
import { CLIENT, openQuillmark, type Quillmark } from "./quillmark/quillmark.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";

const FIXTURES = join(import.meta.dirname, "quillmark");
const PROVIDER = join("providers", "x-quillmark.yaml");
const WRITERS = 70;

const CONFIG = {
  provider: "x-quillmark",
  read: { objects: { writers: { objectName: "writers", selectedFieldsAuto: "all" } } },
  write: {
    objects: {
      writers: { objectName: "writers", deletionSettings: { enabled: true } },
      manuscripts: { objectName: "manuscripts" },
    },
  },
};

describe("an awkward provider, described from its documentation", () => {
  let server: TestBusbar;
  let quillmark: Quillmark;
  let sink: Sink;
  let folder: string;
  const busbar = (args: string[], more: Surroundings = {}) =>
    runCli(args, {
      ...more,
      cwd: folder,
      env: { BUSBAR_URL: new URL(server.server.urls.base).origin, BUSBAR_API_KEY: server.apiKey },
    });
  async function succeeds(args: string[], more?: Surroundings): Promise<string> {
    const { code, stdout, stderr } = await busbar(args, more);
    assert.equal(code, 0, stderr + stdout);
    return stdout;
  }
  before(async () => {
    [quillmark, sink] = await Promise.all([openQuillmark(), openSink()]);
    server = await openTestBusbar({ env: { BUSBAR_MINUTE_MS: "50", BUSBAR_RETRY_BASE_SECONDS: "0.05" } });
    for (let number = 1; number <= WRITERS; number += 1)
      quillmark.account.put(
        "writers",
        { full_name: `Writer ${number}`, email: `w${number}@example.com` },
        9_000,
      );
    folder = await mkdtemp(join(tmpdir(), "busbar-quillmark-"));
    await cp(FIXTURES, folder, { recursive: true });
    const written = await readFile(join(folder, PROVIDER), "utf8");
    const local = written.replaceAll(/https:\/\/(api|accounts)\.quillmark\.example/g, quillmark.url);
    await writeFile(join(folder, PROVIDER), local);
    await addWebhook(server, "hook", `${sink.url}/writers`);
  });
  after(async () => {
    await server?.stop();
    await quillmark?.close();
    await sink?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test("a mistake in its file is shown at its line, by validate and by deploy", async () => {
    const good = await readFile(join(folder, PROVIDER), "utf8");
    const line = good.split("\n").findIndex((text) => text.includes("paging:")) + 1;
    await writeFile(join(folder, PROVIDER), good.replace("{ link: true }", "{ link: true, none: true }"));
    for (const command of ["validate", "deploy"]) {
      const { code, stdout } = await busbar([command, "."]);
      assert.equal(code, 1);
      assert.match(
        stdout,
        new RegExp(`^${PROVIDER}:${line}:\\d+: error: connector.defaults.paging: must have`, "m"),
      );
      assert.doesNotMatch(stdout, /There is no provider/);
    }
    await writeFile(join(folder, PROVIDER), good);
  });

  test("it is deployed and connected by the command line, with a token that is no bearer token", async () => {
    await succeeds(["deploy", "."]);
    const app = ["create", "provider-app", "x-quillmark", "--client-id", CLIENT.id, "--client-secret", "-"];
    await succeeds([...app, "--scope", "writers:read,writers:write"], { stdin: CLIENT.secret });
    const connect = ["connect", "x-quillmark", "--group", "acme", "--json"];
    const printed = await succeeds(connect, {
      onOutput(text) {
        const [page] = /http\S+\/callbacks\/v1\/oauth\/begin\S+/.exec(text) ?? [];
        if (page) void openConsentBrowser().consent(page);
      },
    });
    assert.equal(JSON.parse(printed).providerWorkspaceRef, "bright-lane");
    await succeeds(["install", "quillmark", "--group", "acme", "--config", JSON.stringify(CONFIG)]);
  });

  interface Entry {
    id?: string;
    fields: Record<string, unknown>;
    mappedFields: Record<string, unknown>;
  }
  const arrived = (): Entry[] => sink.at("/writers").flatMap(({ body }) => JSON.parse(body).result);

  test("its backfill delivers every record with the selected fields, over pages of the Link header", async () => {
    await until(() => new Set(arrived().map(({ id }) => id)).size >= WRITERS);
    const seventh = arrived().find(({ mappedFields }) => mappedFields["name"] === "Writer 7");
    assert.equal(seventh?.fields["email"], "w7@example.com");
  });

  test("its fields are those that the account lists", async () => {
    const place = "/providers/x-quillmark/objects/writers/metadata?groupRef=acme";
    const { status, body, text } = await server.inProject("GET", place);
    assert.equal(status, 200, text);
    const { full_name: name, score, genre } = body.fields;
    assert.deepEqual([name.isRequired, score.readOnly, genre.valueType], [true, true, "singleSelect"]);
    assert.deepEqual(genre.values[0], { value: "poetry", displayValue: "POETRY" });
  });

  const write = (type: string, more: object, object = "author") =>
    server.write("quillmark", object, { groupRef: "acme", type, ...more });
  const stored = (id: string, object = "writers") => quillmark.account.find(object, id);

  test("a record is created, updated by PUT, and archived, each change with the provider's id", async () => {
    const record = { name: "Ada", email: "ada@example.com", fee: 1_200, agreed: true, born: "1815-12-10" };
    const created = await write("create", { record });
    assert.equal(created.status, 200, created.text);
    const id: string = created.body.result.recordId;
    const updated = await write("update", { record: { id, email: "ada@new.example", fee: null } });
    assert.equal(updated.status, 200, updated.text);
    const { full_name: name, fee, agreed, email } = stored(id)?.attributes ?? {};
    assert.deepEqual([name, fee, agreed, email], ["Ada", undefined, true, "ada@new.example"]);
    await until(() => arrived().some(({ fields }) => fields["email"] === "ada@new.example"));
    assert.equal((await write("delete", { record: { id } })).status, 200);
    assert.equal(stored(id)?.state, "archived");
    const again = await write("delete", { record: { id } });
    assert.equal(again.status, 200, again.text);
    const gone = await write("update", { record: { id, fee: 1 } });
    assert.equal(gone.body.title, "Record not found at the provider");
    assert.match(gone.body.detail, new RegExp(`no record ${id}`));
  });

  test("refusals with status 200 have their reasons and kinds", async () => {
    const wrong = await write("create", { record: { email: "nonsense", fee: "1200" } });
    assert.equal(wrong.status, 422, wrong.text);
    assert.match(wrong.body.detail, /fee is not a number; email is not an address; full_name is required/);
    const twice = await write("create", { record: { name: "Again", email: "w7@example.com" } });
    assert.equal(twice.body.title, "Record conflicts with another one", twice.text);
  });

  test("a batch is one request, and each result finds its record although the order differs", async () => {
    const before = quillmark.requests.filter((line) => line.endsWith("/batch")).length;
    const batch = [
      { record: { title: "Notes", words: 10 } },
      { record: { title: "Bad", words: "many" } },
      { record: { title: "Sketch", words: 30 } },
    ];
    const { body, text } = await write("create", { batch }, "manuscripts");
    assert.equal(body.results?.length, 3, text);
    const titles = body.results.map((one: { success: boolean; recordId: string }) =>
      one.success ? stored(one.recordId, "manuscripts")?.attributes["title"] : undefined,
    );
    assert.deepEqual(titles, ["Notes", undefined, "Sketch"]);
    assert.match(JSON.stringify(body.errors), /words is not a number/);
    const [first] = body.results;
    const change = { record: { id: first.recordId, words: 11 } };
    const updated = await write("update", { batch: [change] }, "manuscripts");
    assert.equal(updated.body.results?.[0]?.success, true, updated.text);
    assert.equal(stored(first.recordId, "manuscripts")?.attributes["words"], 11);
    assert.equal(quillmark.requests.filter((line) => line.endsWith("/batch")).length, before + 2);
  });

  test("records are found by a field's value", async () => {
    const args = ["search", "quillmark", "author", "--group", "acme", "--where", "email=w44@example.com"];
    const printed = await succeeds([...args, "--json"]);
    assert.match(printed, /Writer 44/);
    assert.doesNotMatch(printed, /Writer 45/);
  });

  test("a rate limit without a body ends at the time that its header tells", async () => {
    const { id = 0 } = quillmark.account.records("writers")[0] ?? {};
    quillmark.limited = 1;
    const limited = await write("update", { record: { id: String(id), fee: 7 } });
    assert.equal(limited.status, 429, limited.text);
    await until(async () => (await write("update", { record: { id: String(id), fee: 7 } })).status === 200);
  });

  test("a create whose answer is lost is repeated under its key, and makes one record", async () => {
    quillmark.loses = true;
    const created = await write("create", { record: { title: "Lost" } }, "manuscripts");
    assert.equal(created.status, 200, created.text);
    const titles = quillmark.account.records("manuscripts").map(({ attributes }) => attributes["title"]);
    assert.equal(titles.filter((title) => title === "Lost").length, 1);
  });
});

const { document } = parseManifest(await readFile(join(FIXTURES, PROVIDER), "utf8"));
const { own, faults } = checkCustomProvider("x-quillmark", document?.data);
assert.deepEqual(faults, []);
if (own?.description)
  testAnswers("x-quillmark", own.description, describeConnector("Quillmark", own.description));
