/** The probe confirms a provider that answers as described, names the place where one does not, and shows no secret. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { text as toText } from "node:stream/consumers";
import { describeConnector } from "../../connector-kit/declarative/describe-connector.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { completeProvider, supports } from "../../connector-kit/provider/define-provider.ts";
import type { Facts, ListFact, ObjectFacts } from "../../connector-kit/facts/facts.ts";
import type { Egress } from "../../server/egress/egress.ts";
import { openEgress } from "../../server/egress/open-egress.ts";
import { buildRefusal } from "../../simulations/vendor/vendor-answer.ts";
import type { Vendor } from "../../simulations/vendor/vendor.ts";
import { openTestVendor } from "../../tests/harness/test-vendor.ts";
import type { Finding } from "./object-probe.ts";
import { probeDescription } from "./probe-description.ts";
import { openProbeFetch } from "./probe-fetch.ts";
import { redact } from "./probe-report.ts";
import type { Probed } from "./probed.ts";
import { readProbeCredentials } from "./read-probe-credentials.ts";

const SECRET = "key-0123456789";

const quill: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/v3/{path}", pageSize: { to: "query.limit", most: 100 } },
    records: "data",
    paging: { cursor: { from: "meta.next", to: "query.after" } },
    total: "meta.total",
    changedPath: "updated_at",
    since: { to: "query.since" },
    create: { method: "POST", path: "/v3/{path}" },
    update: { method: "PATCH", path: "/v3/{path}/{id}" },
    delete: { method: "DELETE", path: "/v3/{path}/{id}" },
    get: { path: "/v3/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: { people: {} },
  errors: { message: ["error.text"] },
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
};

const request = { source: "", method: "GET" as const, success: [200] };
const listPeople: ListFact = {
  ...request,
  path: "/v3/people",
  openQuery: true,
  records: "data",
  paging: {
    kind: "cursor",
    from: "meta.next",
    to: "query.after",
    size: "query.limit",
    largest: 100,
    total: "meta.total",
  },
  since: { to: "query.since", format: "rfc3339", inclusive: true, field: "updated_at" },
};
const people: ObjectFacts = {
  id: { path: "id", type: "integer" },
  changed: { path: "updated_at", format: "rfc3339" },
  list: listPeople,
  get: { ...request, path: "/v3/people/{id}", record: "data" },
};

/** Facts about a provider that has people, and others where `more` says so. */
const toFacts = (more: Partial<ObjectFacts> = {}): Facts => ({
  provider: "x-quill",
  sources: {},
  hosts: [],
  objects: { people: { ...people, ...more } },
  errors: { source: "", body: { error: { text: "REASON" } }, message: "error.text" },
});
const withList = (more: Partial<ListFact>): Facts => toFacts({ list: { ...listPeople, ...more } });

let egress: Egress;
before(() => {
  egress = openEgress(["127.0.0.1"]);
});
after(() => egress.close());

const putPeople = (vendor: Vendor): void => {
  // The probe reads two pages, and an empty one proves nothing.
  vendor.hasFullPages = true;
  for (const name of ["Ada", "Ben", "Cleo", "Dora"]) vendor.records.put("people", { fields: { name } });
};

/** Serves a provider of these facts and compares it with the description. */
async function probe(served: Facts, described = quill, arrange = putPeople) {
  const { vendor, url, close } = await openTestVendor(served);
  try {
    arrange(vendor);
    const probed = probedAt(url, described);
    const fetch = openProbeFetch(egress, probed, {
      credentials: { type: "apiKey", key: SECRET },
      metadata: {},
    });
    const findings = await probeDescription(probed, fetch);
    return { findings, methods: vendor.seen.map(({ method }) => method) };
  } finally {
    await close();
  }
}

function probedAt(baseURL: string, description: Description): Probed {
  const info = completeProvider("x-quill", {
    displayName: "Quill",
    authType: "apiKey",
    baseURL,
    support: supports("proxy"),
    apiKeyOpts: { attachmentType: "header", header: { name: "X-Key" } },
  });
  return { info, description, connector: describeConnector("Quill", description) };
}

const differing = (findings: Finding[]): string[] =>
  findings.filter(({ verdict }) => verdict === "differs").map(({ place }) => place);

test("a provider that answers as described is confirmed by reads alone", async () => {
  const { findings, methods } = await probe(toFacts());
  assert.deepEqual(differing(findings), []);
  const confirmed = findings.filter(({ verdict }) => verdict === "as described").map(({ place }) => place);
  for (const member of ["list.path", "records", "idPath", "changedPath", "total", "paging", "since", "get"])
    assert.ok(confirmed.includes(`defaults.${member} (people)`), member);
  assert.ok(confirmed.includes("errors.message (people)"));
  assert.ok(methods.every((method) => method === "GET"));
});

const { paging, since } = listPeople;
const { get } = people;
assert.ok(since && get);
const DEVIATIONS: Record<string, Facts> = {
  "defaults.list.path (people)": withList({ path: "/v4/people" }),
  "defaults.records (people)": withList({ records: "results" }),
  "defaults.idPath (people)": toFacts({ id: { path: "key", type: "integer" } }),
  "ids.pattern (people)": toFacts({ id: { path: "id", type: "string", example: "rec_0000" } }),
  "defaults.changedPath (people)": toFacts({
    changed: { path: "modified", format: "rfc3339" },
    list: { ...listPeople, since: { ...since, field: "modified" } },
  }),
  "defaults.total (people)": withList({ paging: { ...paging, total: "meta.count" } }),
  "defaults.since (people)": withList({ since: { ...since, to: "query.changed_after" } }),
  "defaults.paging (people)": withList({ paging: { ...paging, to: "query.page" } }),
  "defaults.get.record (people)": toFacts({ get: { ...get, record: "" } }),
  "defaults.get.path (people)": toFacts({ get: { ...get, path: "/v3/people/{id}/details" } }),
  "errors.message (people)": {
    ...toFacts(),
    errors: { source: "", body: { detail: "REASON" }, message: "detail" },
  },
};

for (const [place, served] of Object.entries(DEVIATIONS))
  test(`a provider that deviates is reported with the place: ${place}`, async () => {
    const { findings } = await probe(served);
    assert.deepEqual(differing(findings), [place]);
  });

test("a place is that of the object where the object has a rule of its own", async () => {
  const described = { ...quill, objects: { people: { records: "people" } } };
  assert.deepEqual(differing((await probe(toFacts(), described)).findings), ["objects.people.records"]);
});

test("an account without records confirms nothing, and refuses nothing", async () => {
  const { findings } = await probe(toFacts(), quill, () => {});
  assert.deepEqual(differing(findings), []);
  assert.ok(findings.some(({ verdict, text }) => verdict === "not seen" && text.includes("no record")));
});

test("nothing that could change an account is sent", async () => {
  const probed = probedAt("http://127.0.0.1:1", quill);
  const { send } = openProbeFetch(egress, probed, { credentials: { type: "none" }, metadata: {} });
  for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
    await assert.rejects(send({ method, path: "/v3/people", repeatable: true }), /is not a read/);
});

test("a private address is refused unless the operator lists it", async () => {
  const strict = openEgress([]);
  const probed = probedAt("http://127.0.0.1:1", quill);
  const fetch = openProbeFetch(strict, probed, { credentials: { type: "none" }, metadata: {} });
  await assert.rejects(probeDescription(probed, fetch), /private address/);
  await strict.close();
});

test("credentials are read from JSON, and every form of them is a secret", () => {
  const { info } = probedAt("https://quill.example", quill);
  assert.match(String(readProbeCredentials(info, "{")), /not JSON/);
  assert.match(String(readProbeCredentials(info, '{"token": "x"}')), /none of accessToken/);
  const given = readProbeCredentials(
    info,
    '{"username": "ada", "password": "p/ss word", "metadata": {"a": "b"}}',
  );
  assert.ok(typeof given !== "string");
  assert.deepEqual(given.metadata, { a: "b" });
  const encoded = Buffer.from("ada:p/ss word").toString("base64");
  assert.equal(redact(`p/ss word, p%2Fss%20word, ${encoded}`, given.secrets), "[secret], [secret], [secret]");
});

test("refused credentials end the probe, and the key that the provider repeats is not shown", async () => {
  const refusal = probe(toFacts(), quill, (vendor) => {
    vendor.next = buildRefusal(toFacts(), 401, `the key ${SECRET} is unknown`);
  });
  const message = await refusal.then(String, ({ message: text }: Error) => text);
  assert.equal(
    redact(message, [SECRET]),
    "x-quill refuses the calls (unauthorized): the key [secret] is unknown",
  );
});

test("npm run probe prints a report for a file of one's own", async () => {
  const { vendor, url, close } = await openTestVendor(toFacts());
  putPeople(vendor);
  const folder = await mkdtemp(join(tmpdir(), "probe-"));
  await writeFile(
    join(folder, "x-quill.json"),
    JSON.stringify({
      authType: "apiKey",
      baseURL: url,
      apiKeyOpts: { attachmentType: "header", header: { name: "X-Key" } },
      connector: quill,
    }),
  );
  await writeFile(join(folder, "credentials.json"), JSON.stringify({ apiKey: SECRET }));
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, "..", "probe.ts"),
      join(folder, "x-quill.json"),
      "--credentials",
      join(folder, "credentials.json"),
    ],
    { env: { ...process.env, BUSBAR_EGRESS_ALLOW: "127.0.0.1" }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, error, code] = await Promise.all([toText(child.stdout), toText(child.stderr), ended]);
  await close();
  await rm(folder, { recursive: true });
  assert.equal(code, 0, error);
  assert.match(out, /✓ defaults\.records \(people\)[^]*For sources\.checked/);
  assert.doesNotMatch(out, new RegExp(SECRET));
});

test("lists below the records of another object are probed below one that has records", async () => {
  const lines: Description["objects"][string] = {
    parent: { object: "people" },
    list: { path: "/v3/people/{parent}/lines", pageSize: { to: "query.limit", most: 100 } },
    total: undefined,
  };
  const below: Description = {
    ...quill,
    defaults: { ...quill.defaults, total: undefined },
    objects: { people: {}, lines },
  };
  const unpaged = { ...listPeople, paging: { ...paging, total: undefined } };
  const served = toFacts({ list: unpaged });
  served.objects["lines"] = {
    ...people,
    parent: { object: "people" },
    list: { ...unpaged, path: "/v3/people/{parent}/lines" },
    get: { ...get, path: "/v3/lines/{id}" },
  };
  const { findings } = await probe(served, below, (vendor) => {
    putPeople(vendor);
    const [first, second] = vendor.records.of("people");
    for (let n = 0; n < 8; n += 1)
      vendor.records.put("lines", { parent: (n % 2 ? second : first)?.id ?? "", fields: { n: String(n) } });
  });
  const ofLines = findings.filter(({ place }) => /lines/.test(place));
  assert.deepEqual(
    ofLines.filter(({ verdict }) => verdict !== "as described"),
    [],
  );
  assert.ok(
    ofLines.some(({ text }) => /GET \/v3\/people\/\d+\/lines is answered/.test(text)),
    JSON.stringify(ofLines),
  );
  const empty = await probe(served, below);
  assert.ok(
    empty.findings.some(({ place, verdict }) => place === "objects.lines.parent" && verdict === "not seen"),
  );
});
