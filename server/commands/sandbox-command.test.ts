/** `busbar sandbox PROVIDER` serves a vendor as the facts about it say. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { describeConnector } from "../../connector-kit/declarative/describe-connector.ts";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import type { Json, JsonObject } from "../../ground/json.ts";
import { checkObject } from "../../simulations/vendor/suite/facts-suite.ts";
import { readCustomSubject, readProviderFile } from "../../simulations/vendor/suite/custom-provider.ts";
import { BUSBAR } from "../../tests/harness/child-busbar.ts";
import { startProviderSandbox } from "./sandbox-command.ts";

test("a provider without facts is refused with the names of those that have some", async () => {
  await assert.rejects(
    startProviderSandbox("nothing", { port: 0 }),
    /no simulation of "nothing"\. +Without a name the CRMs are served; there are .*quickbooks/,
  );
});

test("a provider that is nearly spelt like one with facts is suggested", async () => {
  await assert.rejects(startProviderSandbox("stirpe", { port: 0 }), /"stirpe"\. Did you mean "stripe"\?/);
});

test("a provider is served at the address that is asked for, and names one that can be called", async () => {
  const own = await startProviderSandbox("stripe", { port: 0, host: "127.0.0.2" });
  try {
    assert.equal(new URL(own.url).hostname, "127.0.0.2");
    await (await fetch(`${own.url}/v1/customers`)).arrayBuffer();
  } finally {
    await own.close();
  }
  const everywhere = await startProviderSandbox("stripe", { port: 0, host: "0.0.0.0" });
  try {
    const { port, hostname } = new URL(everywhere.url);
    assert.equal(hostname, "127.0.0.1");
    // Any address of this machine reaches it.
    await (await fetch(`http://127.0.0.3:${port}/v1/customers`)).arrayBuffer();
  } finally {
    await everywhere.close();
  }
});

test("a record that is written has the present time of change, so that a read of changes finds it", async () => {
  const { url, close } = await startProviderSandbox("pipedrive", { port: 0 });
  try {
    const startMs = Date.now();
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ name: "Ada" });
    const made = await fetch(`${url}/api/v2/persons`, { method: "POST", headers, body });
    const { data } = (await made.json()) as { data: { update_time: string } };
    // Whole seconds; 25 records of each object came before.
    assert.ok(Math.abs(Date.parse(data.update_time) - startMs) < 60_000, data.update_time);
  } finally {
    await close();
  }
});

test("a vendor that speaks GraphQL answers documents of its schema, and refuses others as its server does", async () => {
  const { url, text, close } = await startProviderSandbox("linear", { port: 0 });
  try {
    assert.match(text, /objects with 25 records each: issues, /);
    const ask = async (query: string) => {
      const response = await fetch(`${url}/`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query }),
      });
      return { status: response.status, text: await response.text() };
    };
    const page = await ask("{ issues(first: 3) { nodes { identifier } pageInfo { hasNextPage } } }");
    assert.equal(page.text.split("identifier").length, 4);
    assert.match(page.text, /"hasNextPage":true/);
    const strange = await ask("{ issues { nodes { colour } } }");
    assert.equal(strange.status, 400);
    assert.match(strange.text, /Cannot query field .*colour.* on type .*Issue/);
  } finally {
    await close();
  }
});

const folder = mkdtempSync(join(tmpdir(), "busbar-sandbox-"));
after(() => rmSync(folder, { recursive: true }));

/** The provider of the guide, and what its documentation would say. */
const QUILL = {
  displayName: "Quill CRM",
  authType: "apiKey",
  baseURL: "https://api.quill.example",
  apiKeyOpts: { attachmentType: "header", header: { name: "X-Key" } },
  connector: {
    defaults: {},
    objects: {
      people: {
        modes: ["read", "create"],
        list: { path: "/v3/people", pageSize: { to: "query.per_page", most: 10 } },
        records: "results",
        paging: { cursor: { from: "meta.next", to: "query.after" } },
        get: { path: "/v3/people/{id}" },
        create: { method: "POST", path: "/v3/people" },
      },
    },
    errors: { message: ["error.text"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-27, documentation only" },
  },
};
const FACTS = {
  provider: "x-quill",
  sources: { docs: { kind: "vendor-docs", url: "https://docs.quill.example", date: "2026-11-27" } },
  objects: {
    people: {
      id: { path: "id", type: "integer" },
      list: {
        source: "docs",
        method: "GET",
        path: "/v3/people",
        query: { per_page: { type: "integer", maximum: 10 }, after: { type: "string" } },
        success: [200],
        records: "results",
        paging: {
          kind: "cursor",
          from: "meta.next",
          to: "query.after",
          size: "query.per_page",
          largest: 10,
          default: 10,
        },
      },
      get: { source: "docs", method: "GET", path: "/v3/people/{id}", success: [200], record: "" },
      create: {
        source: "docs",
        method: "POST",
        path: "/v3/people",
        body: { name: { type: "string" } },
        success: [201],
        record: "",
      },
    },
  },
  errors: { source: "docs", body: { error: { text: "REASON" } }, message: "error.text" },
};

function writeJson(name: string, content: JsonObject): string {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return join(folder, name);
}

/** Runs the command, as a builder does, until it says where it serves. */
async function serve(...args: string[]): Promise<{ url: string; text: string; stop(): void }> {
  const child = spawn(process.execPath, [BUSBAR, "sandbox", ...args, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    text += chunk;
    if (text.includes("sign-in is not simulated")) break;
  }
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
  return { url, text, stop: () => child.kill() };
}

test("a custom provider is simulated from a file of facts, and its description reads and writes there", async () => {
  const file = writeJson("x-quill.json", QUILL);
  const facts = writeJson("quill-facts.json", FACTS);
  const { url, text, stop } = await serve(file, "--facts", facts);
  try {
    assert.match(text, /^Quill CRM \(x-quill\), simulated from quill-facts\.json/);
    assert.match(text, /objects with 25 records each: people/);
    const send: ProviderFetch = async ({ method, path, body }) => {
      const response = await fetch(url + path, {
        method,
        headers: { "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const headers = Object.fromEntries(response.headers);
      return { path, status: response.status, headers, text: await response.text() };
    };
    const connector = describeConnector("x-quill", readProviderFile(file).description);
    const first = await connector.read?.readPage(planRead("people"), undefined, send);
    assert.equal(first?.records.length, 10);
    const order = orderWrite("people", "create", { fields: { name: "Ada" } });
    const [outcome] = (await connector.write?.write(order, send))?.outcomes ?? [];
    assert.ok(outcome?.success);
    assert.equal(
      ((await (await fetch(`${url}/v3/people/${outcome.recordId}`)).json()) as { name: Json }).name,
      "Ada",
    );
    assert.equal((await fetch(`${url}/v3/people?colour=red`)).status, 400);
  } finally {
    stop();
  }
});

test("the description of a custom provider is held against facts about its vendor", async () => {
  const facts = writeJson("quill-facts.json", FACTS);
  const failed = async (file: string) =>
    (await checkObject(readCustomSubject(file, facts), "people")).filter(({ state }) => state === "failed");
  assert.deepEqual(await failed(writeJson("x-quill.json", QUILL)), []);
  const wrong = structuredClone(QUILL);
  wrong.connector.objects.people.paging.cursor.from = "meta.after";
  assert.ok(
    (await failed(writeJson("x-wrong.json", wrong))).some(
      ({ check }) => check === "full read in small pages",
    ),
  );
});

test("files with faults are refused with the place of each, before anything is served", async () => {
  const file = writeJson("x-quill.json", QUILL);
  const refused = (facts: JsonObject, message: RegExp) =>
    assert.rejects(startProviderSandbox(file, { port: 0 }, writeJson("broken.json", facts)), message);
  await assert.rejects(
    startProviderSandbox(file, { port: 0 }),
    /x-quill\.json says how Busbar calls .* give --facts FILE/,
  );
  await refused({ ...FACTS, sources: 7 }, /broken\.json has faults:\n {2}facts\.sources: must be/);
  await refused(
    { ...FACTS, objects: { persons: FACTS.objects.people } },
    /objects\.persons: .*x-quill\.json has no object of this name; it has people/,
  );
  await assert.rejects(
    startProviderSandbox(join(folder, "x-none.yaml"), { port: 0 }, file),
    /x-none\.yaml cannot be read/,
  );
  await assert.rejects(
    startProviderSandbox("stripe", { port: 0 }, file),
    /--facts is for the file of a custom provider/,
  );
});
