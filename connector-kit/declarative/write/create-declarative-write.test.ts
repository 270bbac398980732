/** Requests and results of described writes that no provider of the catalog has. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../ground/json.ts";
import type { RecordWrite } from "../../connector.ts";
import { ProviderError } from "../../calls/provider-error.ts";
import { replay } from "../../testing/replay.ts";
import { describeConnector } from "../describe-connector.ts";
import type { ObjectRules, UpsertRules, WriteRules } from "../rules/description.ts";

const buildWriter = (upsert: UpsertRules) =>
  describeConnector("Quill", {
    defaults: {},
    objects: { people: { modes: [], upsert } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  }).write;

const ADA: RecordWrite = {
  objectName: "people",
  type: "upsert",
  key: "Email",
  batch: false,
  allOrNone: false,
  headers: {},
  records: [{ fields: { email: "ada@quill.example", name: "Ada" } }],
};

test("the name of the key is sent in a form as well as in JSON, and in the query", () => {
  const rules: UpsertRules = { method: "POST", path: "/people", keys: ["email"] };
  const sent = (more: Partial<UpsertRules>) => buildWriter({ ...rules, ...more })?.prepare(ADA)[0];
  const keyNameTo = "body.match_on";
  assert.equal(
    sent({ keyNameTo, wrap: { form: true } })?.body,
    "email=ada%40quill.example&name=Ada&match_on=email",
  );
  assert.deepEqual(sent({ keyNameTo, keyNameList: true })?.body, {
    ...ADA.records[0]?.fields,
    match_on: ["email"],
  });
  assert.equal(sent({ keyNameTo: "query.by", wrap: { form: true } })?.path, "/people?by=email");
});

test("an upsert that the provider answers without a body has succeeded, without an id", async () => {
  const writer = buildWriter({ method: "PUT", path: "/people/{value}", keys: ["email"], empty: true });
  const result = await writer?.write(ADA, replay({ status: 204, body: undefined }).fetch);
  assert.deepEqual(result?.outcomes, [{ success: true }]);
});

test("an upsert by a number names its record, and one whose key has no value is refused before it is sent", async () => {
  const writer = buildWriter({ method: "PUT", path: "/people/{value}", keys: ["email"], empty: true });
  const upsert = async (email: Json | undefined) => {
    const { fetch, requests } = replay({ status: 204 });
    const fields = { name: "Ada", ...(email !== undefined && { email }) };
    const result = await writer?.write({ ...ADA, records: [{ fields }] }, fetch);
    const [outcome] = result?.outcomes ?? [];
    return [requests.map(({ path }) => path), outcome && !outcome.success && outcome.error.kind];
  };
  assert.deepEqual(await upsert(7), [["/people/7"], false]);
  for (const none of [undefined, null, " ", {}]) assert.deepEqual(await upsert(none), [[], "invalid"]);
});

test("a create under a key stays unknown where the repeated request does not tell what became of the first", async () => {
  const connector = describeConnector("Quill", {
    defaults: {
      modes: ["create"],
      create: { method: "POST", path: "/{path}", idempotencyKeyTo: "header.Idempotency-Key" },
    },
    objects: { people: {} },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  });
  const lost = new ProviderError({ kind: "unknown_outcome", message: "connection reset" });
  const records = [{ fields: { name: "Ada" }, idempotencyKey: () => "key-1" }];
  const create: RecordWrite = { ...ADA, type: "create", records };
  for (const status of [409, 429, 503]) {
    const provider = replay(lost, { status });
    await assert.rejects(async () => connector.write?.write(create, provider.fetch), lost);
    assert.deepEqual(
      provider.requests.map(({ headers }) => headers),
      [{ "Idempotency-Key": "key-1" }, { "Idempotency-Key": "key-1" }],
    );
  }
});

test("a create may be repeated for the documented time of its key, but not as part of the provider's own batch", () => {
  const connector = describeConnector("Quill", {
    defaults: {
      modes: ["create"],
      create: { method: "POST", path: "/{path}", idempotencyKeyTo: "header.Idempotency-Key" },
    },
    objects: {
      people: {
        create: { method: "POST", path: "/p", idempotencyKeyTo: "query.key", idempotencyKeyMinutes: 6 },
      },
      pens: {},
      orders: {
        create: { method: "POST", path: "/o", idempotencyKeyTo: "query.key", idempotencyKeyMinutes: 6 },
        batch: { create: { method: "POST", path: "/many", most: 10, to: "data", answers: "data" } },
      },
    },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  });
  const repeatableMs = (objectName: string, batch = false, type: "create" | "update" = "create") =>
    connector.write?.repeatableMs?.({ objectName, type, batch });
  assert.equal(repeatableMs("people"), 360_000);
  assert.equal(repeatableMs("people", true), 360_000);
  assert.equal(repeatableMs("orders", true), undefined);
  assert.equal(repeatableMs("pens"), undefined);
  assert.equal(repeatableMs("people", false, "update"), undefined);
});

test("a record that was written, but cannot be read back, is not reported as refused", async () => {
  const connector = describeConnector("Quill", {
    defaults: {
      modes: ["create"],
      create: { method: "POST", path: "/{path}", id: "pen_id" },
      get: { path: "/{path}/{id}" },
    },
    objects: { pens: {} },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-23, made up" },
  });
  for (const after of [{ status: 500 }, { status: 403, body: { error: "no" } }]) {
    const provider = replay({ status: 201, body: { pen_id: "5" } }, after);
    const create: RecordWrite = { ...ADA, objectName: "pens", type: "create", readBack: true };
    const result = await connector.write?.write(create, provider.fetch);
    assert.deepEqual(result?.outcomes, [{ success: true, recordId: "5" }]);
    assert.match(result?.warnings.join() ?? "", /record 5 was written, but could not be read back/);
  }
});

test("a written record is read back only where that is wanted, and never for each record of a batch", async () => {
  const rules: ObjectRules = {
    modes: ["create"],
    create: { method: "POST", path: "/{path}", id: "pen_id" },
  };
  const sources = { documentation: "https://docs.quill.example", checked: "2026-11-27, made up" };
  const get = { path: "/{path}/{id}" };
  const build = (more: ObjectRules) =>
    describeConnector("Quill", {
      defaults: { ...rules, ...more },
      objects: { pens: {} },
      errors: { message: ["error"] },
      sources,
    }).write;
  const create: RecordWrite = { ...ADA, objectName: "pens", type: "create", readBack: true };
  const tried: [more: ObjectRules, write: Partial<RecordWrite>, read: boolean][] = [
    [{ get }, {}, true],
    [{ get }, { readBack: false }, false],
    [{ get }, { batch: true }, false],
    [{}, {}, false],
  ];
  for (const [more, write, isRead] of tried) {
    const provider = replay(
      { status: 201, body: { pen_id: "5" } },
      { status: 200, body: { id: "5", ink: "wet" } },
    );
    const result = await build(more)?.write({ ...create, ...write }, provider.fetch);
    const data = isRead ? { data: { id: "5", ink: "wet" } } : {};
    assert.deepEqual(result?.outcomes, [{ success: true, recordId: "5", ...data }]);
    assert.equal(provider.requests.length, isRead ? 2 : 1);
  }
});

test("whether a field is empty can be asked only where single records can be read", async () => {
  const build = (get: ObjectRules["get"]) =>
    describeConnector("Quill", {
      defaults: { modes: ["update"], update: { method: "PUT", path: "/{path}/{id}" } },
      objects: { notes: {}, pens: get ? { get } : {} },
      errors: { message: ["error"] },
      sources: { documentation: "https://docs.quill.example", checked: "2026-11-27, made up" },
    }).write;
  assert.equal(build(undefined)?.abilities.ifEmpty, false);
  const writer = build({ path: "/pens/{id}" });
  assert.equal(writer?.abilities.ifEmpty, true);
  const order = { objectName: "pens", ids: ["5", "../5"], fields: ["ink", "nib"] };
  const provider = replay({ status: 200, body: { id: "5", ink: "wet" } });
  const found = await writer.readFields?.(order, provider.fetch);
  assert.deepEqual([...(found ?? [])], [["5", { ink: "wet", nib: null }]]);
  assert.equal(provider.requests.length, 1);
});

test("where the types of fields cannot be asked for, every record is refused with what the provider said", async () => {
  const writer = describeConnector("Quill", {
    defaults: {
      modes: ["create"],
      create: { method: "POST", path: "/{path}" },
      flatten: "fields",
      typedValues: { type: "type", values: {}, writes: {} },
      metadata: {
        list: { path: "/fields", records: "data", name: "name", type: "type", types: { text: "string" } },
      },
    },
    objects: { pens: {} },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-27, made up" },
  }).write;
  const provider = replay({ status: 400, body: { error: "no fields here" } });
  const records = [{ fields: { ink: "wet" } }, { fields: { ink: "dry" } }];
  const result = await writer?.write({ ...ADA, objectName: "pens", type: "create", records }, provider.fetch);
  assert.deepEqual(
    result?.outcomes.map((one) => !one.success && one.error.message),
    ["no fields here", "no fields here"],
  );
  assert.equal(result?.rawResponse, JSON.stringify({ error: "no fields here" }));
  assert.equal(provider.requests.length, 1);
});

test("no key is made for a create at a provider without keys", async () => {
  const connector = describeConnector("Quill", {
    defaults: { modes: ["create"], create: { method: "POST", path: "/{path}" } },
    objects: { people: {} },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  });
  let made = 0;
  const idempotencyKey = () => `key-${(made += 1)}`;
  const records = [{ fields: { name: "Ada" }, idempotencyKey }];
  const { key: _key, ...create } = { ...ADA, type: "create" as const, records };
  const result = await connector.write?.write(create, replay({ status: 201, body: { id: "1" } }).fetch);
  assert.equal(result?.outcomes[0]?.success, true);
  assert.equal(made, 0);
});

test("a refusal's code stands at one of two places, and decides its kind", async () => {
  const connector = describeConnector("Quill", {
    defaults: { modes: ["create"], create: { method: "POST", path: "/{path}" } },
    objects: { people: {} },
    errors: {
      message: ["message", "data.*.message"],
      code: "code",
      furtherCode: "data.0.code",
      codes: { DUPLICATE_DATA: "conflict" },
    },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-27, documentation only" },
  });
  const refused = { code: "DUPLICATE_DATA", message: "duplicate data" };
  const order: RecordWrite = { ...ADA, type: "create", records: [{ fields: { name: "Ada" } }] };
  for (const body of [refused, { data: [refused] }]) {
    const result = await connector.write?.write(order, replay({ status: 400, body }).fetch);
    const [outcome] = result?.outcomes ?? [];
    const error = outcome?.success === false ? outcome.error : undefined;
    assert.deepEqual([error?.kind, error?.code], ["conflict", "DUPLICATE_DATA"]);
  }
});

// providers/insightly/read_test.go of amp-labs/connectors, 2026-08-21.
test("a refusal in plain text is explained, and a page of HTML is not", async () => {
  const connector = describeConnector("Quill", {
    defaults: { modes: ["create"], create: { method: "POST", path: "/{path}" } },
    objects: { people: {} },
    errors: { message: ["Message"], plainText: true },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-27, documentation only" },
  });
  const refusal = (text: string, contentType = "text/plain; charset=utf-8") =>
    connector.classify?.({ path: "/people", status: 403, headers: { "content-type": contentType }, text });
  const words = "API User does not have access to CommunityComments.";
  assert.deepEqual([refusal(words)?.kind, refusal(words)?.message], ["forbidden", words]);
  assert.equal(refusal("<html>Forbidden</html>")?.kind, "unavailable");
  assert.equal(refusal(words, "text/html")?.kind, "unavailable");
  assert.equal(refusal(words.repeat(20))?.kind, "unavailable");
});

const DEMANDING = describeConnector("Quill", {
  defaults: {
    modes: ["update"],
    get: { path: "/{path}/{id}" },
    update: {
      method: "PUT",
      path: "/{path}/{id}",
      repeats: ["name", "settings.color"],
      requires: ["html"],
    },
  },
  objects: { pens: {} },
  errors: { message: ["error"] },
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-27, made up" },
}).write;

const updatePen = (fields: JsonObject): RecordWrite => ({
  ...ADA,
  objectName: "pens",
  type: "update",
  records: [{ id: "5", fields }],
});

test("what the provider demands of each update is read before and sent again, unless the caller writes it", async () => {
  const pen = { id: "5", name: "Quill", note: "old", settings: { color: "red", ink: "wet" } };
  const provider = replay({ status: 200, body: pen }, { status: 200, body: pen });
  await DEMANDING?.write(updatePen({ html: "<p>", settings: { ink: "dry" } }), provider.fetch);
  assert.deepEqual(
    provider.requests.map(({ method, path, body }) => [method, path, body]),
    [
      ["GET", "/pens/5", undefined],
      ["PUT", "/pens/5", { html: "<p>", settings: { ink: "dry", color: "red" }, name: "Quill" }],
    ],
  );
  const whole = replay({ status: 200, body: pen });
  const all = { html: "<p>", name: null, settings: { color: "blue" } };
  await DEMANDING?.write(updatePen(all), whole.fetch);
  assert.deepEqual(
    whole.requests.map(({ body }) => body),
    [all],
  );
});

test("what an update repeats and the record does not have is left to the provider, and a record that is gone is reported", async () => {
  const provider = replay(
    { status: 200, body: { id: "5", name: null } },
    { status: 400, body: { error: "no color" } },
  );
  const refused = await DEMANDING?.write(updatePen({ html: "<p>" }), provider.fetch);
  assert.deepEqual(provider.requests[1]?.body, { html: "<p>" });
  assert.deepEqual(
    refused?.outcomes.map((one) => !one.success && one.error.message),
    ["no color"],
  );
  const gone = await DEMANDING?.write(
    updatePen({ html: "<p>" }),
    replay({ status: 404, body: { error: "gone" } }).fetch,
  );
  assert.deepEqual(
    gone?.outcomes.map((one) => !one.success && one.error.kind),
    ["not_found"],
  );
});

test("what must be read before a write and is not there, or cannot be read, keeps the write from being sent", async () => {
  const rules: WriteRules = {
    method: "POST",
    path: "/{path}/{id}",
    readBefore: { from: "version", to: "body.version" },
  };
  const writer = describeConnector("Quill", {
    defaults: { modes: ["update", "delete"], get: { path: "/{path}/{id}" } },
    objects: { pens: { update: rules, delete: rules } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-29, made up" },
  }).write;
  for (const type of ["update", "delete"] as const) {
    const provider = replay({ status: 200, body: { id: "5", version: null } });
    const result = await writer?.write({ ...updatePen({ ink: "wet" }), type }, provider.fetch);
    assert.deepEqual(
      result?.outcomes.map((one) => !one.success && [one.error.kind, one.error.message]),
      [["invalid", "record 5 of pens has nothing at version"]],
    );
    assert.equal(provider.requests.length, 1);
  }
  const lost = new ProviderError({ kind: "unknown_outcome", message: "connection reset" });
  await assert.rejects(
    writer?.write(updatePen({ ink: "wet" }), replay(lost).fetch) ?? Promise.resolve(),
    (error) => error instanceof ProviderError && error.kind === "unavailable" && error.cause === lost,
  );
});

test("an update without a field that no answer tells is refused before anything is sent, and prepared ones show what is read", async () => {
  const provider = replay();
  const result = await DEMANDING?.write(updatePen({ name: "Nib" }), provider.fetch);
  assert.equal(provider.requests.length, 0);
  assert.match(
    result?.outcomes.map((one) => (one.success ? "" : one.error.message)).join() ?? "",
    /write html as well/,
  );
  const prepared = DEMANDING?.prepare(updatePen({ html: "<p>", name: "Nib" }));
  assert.deepEqual(
    prepared?.map(({ method, body }) => [method, body]),
    [
      ["GET", undefined],
      ["PUT", { html: "<p>", name: "Nib", settings: { color: "{settings.color}" } }],
    ],
  );
});
