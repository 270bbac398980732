// The controls: faults, request log, records, tokens, limits, reset, catalog overlay.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { promisify } from "node:util";
import { startSandbox } from "./sandbox.ts";
import { getAt, openCaller, readList, openSandbox, readText, type Call } from "./test-client.ts";

const sandbox = await openSandbox();
const control = openCaller(sandbox.url);
let hubspot: Call;
beforeEach(() => {
  hubspot = openCaller(sandbox.hubspot.url, sandbox.hubspot.mintToken().accessToken);
});

const CONTACTS = "/crm/v3/objects/contacts";

test("a fault hits as many matching requests as asked, after those to skip", async () => {
  const fault = {
    provider: "hubspot",
    method: "GET",
    path: "/objects/contacts",
    status: 503,
    body: "down",
    skip: 1,
    count: 2,
  };
  const added = await control("POST", "/sandbox/faults", fault);
  assert.equal(added.status, 201);
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await hubspot("GET", CONTACTS)).status);
  assert.deepEqual(statuses, [200, 503, 503, 200]);
  const listed = await control("GET", "/sandbox/faults");
  assert.equal(getAt(listed.json, "faults.0.hits"), 2);
});

test("a fault's path may be a regular expression and its body anything", async () => {
  sandbox.addFault({ path: "contacts/\\d+$", status: 418, headers: { "x-test": "1" }, body: { odd: true } });
  assert.equal((await hubspot("GET", CONTACTS)).status, 200);
  const answer = await hubspot("GET", `${CONTACTS}/501`);
  assert.equal(answer.status, 418);
  assert.equal(answer.headers.get("x-test"), "1");
  assert.deepEqual(answer.json, { odd: true });
});

test("a reset before leaves nothing behind, a reset after leaves the record", async () => {
  sandbox.addFault({ method: "POST", reset: "before" });
  await assert.rejects(hubspot("POST", CONTACTS, { properties: { email: "before@x.example" } }));
  sandbox.addFault({ method: "POST", reset: "after" });
  await assert.rejects(hubspot("POST", CONTACTS, { properties: { email: "after@x.example" } }));
  const emails = sandbox.records("hubspot", "contacts").map((record) => record["email"]);
  assert.ok(!emails.includes("before@x.example"));
  assert.ok(emails.includes("after@x.example"));
  const [logged] = sandbox.requests({ method: "POST" }).slice(-1);
  assert.equal(logged?.status, undefined);
});

test("a stored fault carries the request out and hides its answer", async () => {
  sandbox.addFault({ method: "POST", status: 504, body: "<html>", stored: true });
  const answer = await hubspot("POST", CONTACTS, { properties: { email: "hidden@x.example" } });
  assert.equal(answer.status, 504);
  assert.ok(sandbox.records("hubspot", "contacts").some((record) => record["email"] === "hidden@x.example"));
});

test("a delay only delays, a hanging request is never answered", async () => {
  sandbox.addFault({ path: CONTACTS, delayMs: 120 });
  const started = performance.now();
  assert.equal((await hubspot("GET", CONTACTS)).status, 200);
  assert.ok(performance.now() - started >= 100);
  sandbox.addFault({ path: CONTACTS, hang: true });
  await assert.rejects(fetch(`${sandbox.hubspot.url}${CONTACTS}`, { signal: AbortSignal.timeout(100) }));
});

test("a preset gives the provider's own error, an unknown preset is refused with the names", async () => {
  sandbox.addFault({ preset: "hubspot.missing_scopes" });
  const answer = await hubspot("GET", CONTACTS);
  assert.equal(answer.status, 403);
  assert.equal(getAt(answer.json, "category"), "MISSING_SCOPES");
  const refused = await control("POST", "/sandbox/faults", { preset: "nope" });
  assert.equal(refused.status, 400);
  assert.match(readText(refused.json, "message"), /hubspot\.missing_scopes/);
  const empty = await control("POST", "/sandbox/faults", { method: "GET" });
  assert.equal(empty.status, 400);
});

test("a fault that cannot be sent ends the connection, not the sandbox", async () => {
  sandbox.addFault({ path: CONTACTS, status: 200, headers: { "bad header": "x" } });
  await assert.rejects(hubspot("GET", CONTACTS));
  assert.equal((await hubspot("GET", CONTACTS)).status, 200);
});

test("the request log shows what came in, with tokens shortened and bodies as sent", async () => {
  await hubspot("POST", CONTACTS, { properties: { email: "log@x.example" } });
  const listed = await control("GET", "/sandbox/requests?provider=hubspot&method=post&path=contacts");
  const [entry] = readList(listed.json, "requests");
  assert.equal(entry?.["status"], 201);
  assert.equal(entry?.["path"], `/hubspot${CONTACTS}`);
  assert.equal(entry?.["body"], '{"properties":{"email":"log@x.example"}}');
  assert.match(readText(entry, "headers.authorization"), /^Bearer .{4}….{6}$/);
  await control("DELETE", "/sandbox/requests");
  assert.deepEqual(sandbox.requests(), []);
});

test("a body that is not text is logged as base64", async () => {
  const bytes = Buffer.from([0, 255, 254, 1]);
  await fetch(`${sandbox.hubspot.url}/files/v3/files`, { method: "POST", body: bytes });
  assert.equal(sandbox.requests({ path: "/files" })[0]?.bodyBase64, bytes.toString("base64"));
});

test("the request log keeps the newest entries only", async () => {
  const small = await startSandbox({ requestLogSize: 5 });
  const call = openCaller(small.hubspot.url, small.hubspot.staticToken);
  for (let i = 0; i < 12; i++) await call("GET", `/integrations/v1/me?n=${i}`);
  const paths = small.requests().map((entry) => entry.path.slice(-2));
  assert.deepEqual(paths, ["=7", "=8", "=9", "10", "11"]);
  await small.close();
});

test("records can be read back, and a reset returns to the seeded ones", async () => {
  await hubspot("POST", CONTACTS, { properties: { email: "new@x.example" } });
  const records = await control("GET", "/sandbox/records?provider=hubspot&object=contacts");
  assert.equal(readList(records.json, "records").length, 6);
  assert.equal((await control("POST", "/sandbox/reset")).status, 204);
  assert.equal(sandbox.records("hubspot", "contacts").length, 5);
  assert.equal(sandbox.records("salesforce", "Contact").length, 4);
  assert.equal((await hubspot("GET", CONTACTS)).status, 401);
});

test("tokens can be minted over HTTP, expired and revoked", async () => {
  const minted = await control("POST", "/sandbox/tokens", {
    provider: "salesforce",
    expiresInSeconds: 60,
    scopes: ["api"],
  });
  assert.equal(minted.status, 201);
  const call = openCaller(sandbox.salesforce.url, readText(minted.json, "accessToken"));
  const path = "/services/data/v60.0/sobjects/Account/001Sb0000000001IAA";
  assert.equal((await call("GET", path)).status, 200);
  const inSeconds = (Date.parse(readText(minted.json, "expiresAt")) - Date.now()) / 1000;
  assert.ok(inSeconds > 50 && inSeconds <= 60);
  await control("POST", "/sandbox/tokens/expire", { provider: "salesforce" });
  assert.equal((await call("GET", path)).status, 401);
});

test("limits can be set per provider while running", async () => {
  await control("POST", "/sandbox/limits", { hubspot: { tenSecondly: 1 }, salesforce: { daily: 0 } });
  assert.equal((await hubspot("GET", CONTACTS)).status, 200);
  assert.equal((await hubspot("GET", CONTACTS)).status, 429);
  const salesforce = openCaller(sandbox.salesforce.url, sandbox.salesforce.mintToken().accessToken);
  assert.equal((await salesforce("GET", "/services/data/v60.0/limits")).status, 403);
  await control("POST", "/sandbox/limits", { hubspot: "real", salesforce: "real" });
  assert.equal((await hubspot("GET", CONTACTS)).status, 200);
});

test("the catalog overlay points at this sandbox and asks for no workspace", async () => {
  const overlay = await control("GET", "/sandbox/catalog");
  assert.deepEqual(overlay.json, sandbox.catalog());
  assert.equal(getAt(overlay.json, "providers.hubspot.baseURL"), `${sandbox.url}/hubspot`);
  assert.equal(getAt(overlay.json, "providers.salesforce.modules.crm.baseURL"), `${sandbox.url}/salesforce`);
  assert.doesNotMatch(overlay.text, /workspace\}/);
});

test("an unknown place is a 404 that names the places", async () => {
  assert.equal((await control("GET", "/elsewhere")).status, 404);
  assert.equal((await control("GET", "/sandbox/nothing")).status, 404);
});

test("pages can lie: an id twice, a cursor without end, wrong types, a field that is gone", async () => {
  const page = async (fault: Record<string, unknown>): Promise<Awaited<ReturnType<Call>>> => {
    await control("DELETE", "/sandbox/faults");
    assert.equal(
      (await control("POST", "/sandbox/faults", { path: "/objects/contacts", ...fault })).status,
      201,
    );
    return hubspot("GET", `${CONTACTS}?limit=3`);
  };
  const ids = (json: unknown): unknown[] => readList(json, "results").map((record) => record["id"]);
  assert.deepEqual(ids((await page({ preset: "page.repeated_id" })).json), ["501", "502", "501"]);
  const first = await page({ preset: "page.endless_cursor" });
  const after = readText(first.json, "paging.next.after");
  const second = await hubspot("GET", `${CONTACTS}?limit=3&after=${encodeURIComponent(after)}`);
  assert.deepEqual(ids(second.json), ids(first.json));
  assert.notEqual(readText(second.json, "paging.next.after"), after);
  const wrong = await page({ preset: "page.wrong_types" });
  assert.equal(getAt(wrong.json, "results.0"), null);
  assert.equal(getAt((await page({ preset: "page.wrong_shape" })).json, "paging"), 7);
  assert.doesNotMatch((await page({ preset: "page.field_gone", field: "email" })).text, /"email"/);
  const huge = await page({ preset: "page.huge", bytes: 3_000_000 });
  assert.equal(readText(huge.json, "padding").length, 3_000_000);
});

test("an endless cursor of Salesforce is followed for ever", async () => {
  const call = openCaller(sandbox.url, sandbox.salesforce.mintToken().accessToken);
  sandbox.addFault({ provider: "salesforce", path: "/query", preset: "page.endless_cursor" });
  let url = "/services/data/v60.0/query?q=SELECT+Id+FROM+Contact";
  const seen = new Set<string>();
  for (let i = 0; i < 5; i++) {
    const page = await call("GET", url);
    assert.equal(readList(page.json, "records").length, 4);
    url = readText(page.json, "nextRecordsUrl");
    seen.add(url);
  }
  assert.equal(seen.size, 5);
});

test("calls are counted by endpoint and status until the log is cleared", async () => {
  await hubspot("GET", `${CONTACTS}/501`);
  await hubspot("GET", `${CONTACTS}/502?properties=email`);
  await hubspot("GET", `${CONTACTS}/999`);
  const counted = await control("GET", "/sandbox/requests/counts?provider=hubspot");
  assert.deepEqual(getAt(counted.json, "counts.0"), {
    provider: "hubspot",
    endpoint: `GET ${CONTACTS}/:id`,
    count: 3,
    statuses: { "200": 2, "404": 1 },
  });
  await control("DELETE", "/sandbox/requests");
  assert.deepEqual(sandbox.counts(), []);
});

test("the clock moves records and answers, and a reset sets it right", async () => {
  await control("POST", "/sandbox/clock", { now: "2027-03-04T05:06:07Z" });
  const made = await hubspot("POST", CONTACTS, { properties: { email: "later@x.example" } });
  assert.match(readText(made.json, "updatedAt"), /^2027-03-04T05:0/);
  assert.match(made.headers.get("date") ?? "", /04 Mar 2027/);
  sandbox.reset();
  assert.equal(sandbox.clock.offsetMs, 0);
});

test("a dump can be cut to some fields, and settings without a bound are shown as null", async () => {
  const path = "/sandbox/records/dump?provider=salesforce&object=Account&fields=Name,AnnualRevenue";
  const dump = await control("GET", path);
  const [first = ""] = dump.text.split("\n");
  const record: unknown = JSON.parse(first);
  assert.deepEqual(getAt(record, "values"), { Name: "Northwind Traders", AnnualRevenue: null });
  const settings = await control("GET", "/sandbox/settings");
  assert.equal(getAt(settings.json, "salesforce.pageCharacters"), null);
  assert.equal(getAt(settings.json, "salesforce.openLocators"), 10);
});

test("a setting or a time that cannot be is refused with its name", async () => {
  const setting = await control("POST", "/sandbox/settings", { hubspot: { nope: 1 } });
  assert.match(readText(setting.json, "message"), /no setting hubspot\.nope; there are: searchLagMs/);
  const clock = await control("POST", "/sandbox/clock", { now: "yesterday" });
  assert.match(readText(clock.json, "message"), /now must be an ISO time/);
  const object = { provider: "salesforce", object: "Nope", count: 1 };
  const generated = await control("POST", "/sandbox/records/generate", object);
  assert.match(readText(generated.json, "message"), /no Salesforce object Nope/);
});

test("a sandbox that listens on all addresses has a catalog whose addresses can be called", async () => {
  const open = await startSandbox({ host: "0.0.0.0" });
  try {
    const overlay = open.catalog();
    for (const address of [
      getAt(overlay, "providers.hubspot.baseURL"),
      getAt(overlay, "providers.salesforce.pubSubURL"),
    ])
      assert.equal(new URL(String(address)).hostname, "127.0.0.1");
  } finally {
    await open.close();
  }
});

test("every call of the page about the sandbox is answered with a success", async () => {
  const page = await readFile(join(import.meta.dirname, "../docs/guide/sandbox.md"), "utf8");
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  const calls = blocks.filter((text) => text.includes(":4100/")).join("\n");
  assert.ok((calls.match(/^curl /gm) ?? []).length > 15);
  const script = calls.replaceAll("http://127.0.0.1:4100", sandbox.url).replaceAll("curl -s", "curl -sf");
  await promisify(execFile)("bash", ["-euc", script]);
});
