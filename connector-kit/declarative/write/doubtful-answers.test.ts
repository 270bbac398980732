/** Writes whose answer does not say clearly that they were carried out, by a server that answers so. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import type { RecordOutcome, RecordWrite, WriteResult } from "../../connector.ts";
import type { ProviderFetch } from "../../calls/provider-fetch.ts";
import { ProviderError } from "../../calls/provider-error.ts";
import { orderWrite } from "../../testing/order-fixture.ts";
import { describeConnector } from "../describe-connector.ts";
import type { ObjectRules } from "../rules/description.ts";

type Type = "create" | "update" | "delete";
const TYPES: Type[] = ["create", "update", "delete"];

/** Writes one record to a server with this answer. */
async function writeTo(
  t: TestContext,
  type: Type,
  { status = 200, body }: { status?: number; body: unknown },
  { rules = {}, batch = false, id = "7" }: More = {},
): Promise<RecordOutcome> {
  const { outcomes } = await findResult(t, type, { status, body }, { rules, batch, id });
  const [outcome] = outcomes;
  assert.ok(outcome);
  return outcome;
}

type More = { rules?: ObjectRules; batch?: boolean; id?: string };

async function findResult(
  t: TestContext,
  type: Type,
  { status = 200, body }: { status?: number; body: unknown },
  { rules = {}, batch = false, id = "7" }: More = {},
): Promise<Pick<WriteResult, "outcomes" | "warnings">> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "text/plain" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetching: ProviderFetch = async ({ method, path }) => {
    const answer = await fetch(base + path, { method });
    return {
      path,
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text: await answer.text(),
    };
  };
  const { write } = describeConnector("Quill", {
    defaults: {
      create: { method: "POST", path: "/people" },
      update: { method: "PUT", path: "/people/{id}" },
      delete: { method: "DELETE", path: "/people/{id}" },
      ...rules,
    },
    objects: { people: { modes: TYPES } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-29, tests" },
  });
  assert.ok(write);
  const order: RecordWrite = orderWrite("people", type, {
    ...(type !== "create" && { id }),
    fields: type === "delete" ? {} : { name: "Ada" },
  });
  return write.write({ ...order, batch }, fetching).catch((error: unknown) => {
    if (error instanceof ProviderError) return { outcomes: [{ success: false, error }], warnings: [] };
    throw error;
  });
}

const kindIn = (outcome: RecordOutcome): string => (outcome.success ? "success" : outcome.error.kind);

// RFC 9110, 15.3.3: the request "might or might not eventually be acted upon".
test("a write that is accepted with 202 is neither done nor refused, whatever its answer has", async (t) => {
  for (const type of TYPES)
    for (const body of ["", { id: "7", name: "Ada" }, { job: "j1", status: "queued" }]) {
      const outcome = await writeTo(t, type, { status: 202, body });
      assert.equal(kindIn(outcome), "unknown_outcome", `${type} ${JSON.stringify(body)}`);
      assert.match(outcome.success ? "" : outcome.error.message, new RegExp(`202.*accepted the ${type}`));
    }
});

test("a provider whose source names 202 as a success is believed", async (t) => {
  const accepted = { path: "/people/{id}", accepted: true };
  const rules: ObjectRules = {
    update: { method: "PUT", ...accepted },
    delete: { method: "DELETE", ...accepted },
  };
  for (const type of ["update", "delete"] as const)
    assert.equal(kindIn(await writeTo(t, type, { status: 202, body: "" }, { rules })), "success");
});

test("a batch that is accepted with 202 is neither done nor refused", async (t) => {
  const list = { method: "POST", path: "/people", most: 5, to: "" } as const;
  const batch = (more: object): ObjectRules => ({ batch: { create: { ...list, ...more } } });
  for (const body of ["", [{ id: "7" }]])
    for (const more of [{}, { answers: "" }]) {
      const outcome = await writeTo(t, "create", { status: 202, body }, { rules: batch(more), batch: true });
      assert.equal(kindIn(outcome), "unknown_outcome", JSON.stringify({ body, more }));
    }
  const accepted = await writeTo(
    t,
    "create",
    { status: 202, body: "" },
    { rules: batch({ accepted: true }), batch: true },
  );
  assert.equal(kindIn(accepted), "success");
});

// RFC 4918, 13: the parts of such an answer have statuses of their own.
test("207 without the record leaves open whether it was written, and with it is a success", async (t) => {
  const parts = { results: [{ status: 422, reason: "no name" }] };
  for (const type of TYPES)
    assert.equal(kindIn(await writeTo(t, type, { status: 207, body: parts })), "unknown_outcome", type);
  for (const type of TYPES)
    assert.equal(kindIn(await writeTo(t, type, { status: 207, body: { id: "7" } })), "success", type);
  const list = { method: "POST", path: "/people", most: 5, to: "" } as const;
  const rules: ObjectRules = { batch: { create: list } };
  const outcome = await writeTo(t, "create", { status: 207, body: parts }, { rules, batch: true });
  assert.equal(kindIn(outcome), "unknown_outcome");
});

test("200 with a member that denies the success is none of a write whose answer has no record", async (t) => {
  for (const type of TYPES)
    for (const body of [{ success: false, message: "not allowed" }, { ok: false }]) {
      const outcome = await writeTo(t, type, { body });
      assert.equal(kindIn(outcome), "unreadable", `${type} ${JSON.stringify(body)}`);
      assert.match(outcome.success ? "" : outcome.error.message, type === "create" ? /no id/ : /false/);
    }
  assert.equal(kindIn(await writeTo(t, "delete", { body: { deleted: false } })), "unreadable");
  assert.equal(kindIn(await writeTo(t, "update", { body: { id: "7", success: false } })), "success");
  assert.equal(kindIn(await writeTo(t, "update", { body: { name: "Ada", deleted: false } })), "success");
  assert.equal(kindIn(await writeTo(t, "delete", { body: { success: true } })), "success");
});

test("what an update is answered with counts as the record only where it is one", async (t) => {
  const dataAfter = async (body: unknown) => {
    const outcome = await writeTo(t, "update", { body });
    assert.ok(outcome.success);
    return outcome.data;
  };
  assert.deepEqual(await dataAfter({ id: "7" }), { id: "7" });
  assert.deepEqual(await dataAfter({ name: "Ada" }), { name: "Ada" });
  assert.equal(await dataAfter({ status: "ok" }), undefined);
});

test("an update that is answered with other words than the record says so", async (t) => {
  const warningsAfter = async (body: unknown, rules: ObjectRules = {}) =>
    (await findResult(t, "update", { body }, { rules })).warnings.join();
  const words = { message: "Please sign in" };
  for (const rules of [{}, { record: "data" }])
    assert.match(await warningsAfter(words, rules), /does not show the record: .*Please sign in/);
  assert.equal(await warningsAfter({ id: "7" }), "");
  assert.equal(await warningsAfter(""), "");
  // The description says that the answer is something else.
  const update = { method: "PUT", path: "/people/{id}", empty: true } as const;
  assert.equal(await warningsAfter({ ok: true }, { update }), "");
});

test("a record that is locked for now concerns no other one, and a request that came too early is repeated", async (t) => {
  for (const status of [423, 425])
    for (const type of TYPES)
      assert.equal(kindIn(await writeTo(t, type, { status, body: { error: "wait" } })), "unavailable");
});

test("404 without a word tells that a record is absent where the request names one, and nothing of a create", async (t) => {
  for (const body of ["", {}]) {
    assert.equal(kindIn(await writeTo(t, "update", { status: 404, body })), "not_found");
    assert.equal(kindIn(await writeTo(t, "delete", { status: 404, body })), "success");
    assert.equal(kindIn(await writeTo(t, "create", { status: 404, body })), "unavailable");
  }
  const told = await writeTo(t, "create", { status: 404, body: { error: "There is no such object" } });
  assert.equal(kindIn(told), "not_found");
});

test("plain words that say that it is done are a success of an update and a deletion", async (t) => {
  for (const type of ["update", "delete"] as const) {
    for (const body of ["OK", "ok\n", "Deleted", "Success!", "Record 7 was deleted successfully."])
      assert.equal(kindIn(await writeTo(t, type, { body })), "success", `${type} ${body}`);
    for (const body of [
      "Please sign in",
      "not ok",
      "<p>OK</p>",
      '{"id": "7',
      "Record could not be deleted",
      "This site is being updated. Please try again later.",
      "0 records updated",
      "Successfully queued",
      "x".repeat(200),
    ])
      assert.notEqual(kindIn(await writeTo(t, type, { body })), "success", `${type} ${body}`);
  }
  // Nobody knows the id of the new record.
  assert.equal(kindIn(await writeTo(t, "create", { body: "OK" })), "unreadable");
});

test("an update that is answered with another record is not told as done", async (t) => {
  const outcome = await writeTo(t, "update", { body: { id: "8", name: "Ada", age: 7 } });
  assert.equal(kindIn(outcome), "unreadable");
  assert.match(outcome.success ? "" : outcome.error.message, /the update of record 7 of people is record 8/);
});

// Mailchimp: "id: The MD5 hash of the lowercase version of the list member's email address." (its OpenAPI file; `echo -n ada | md5sum`)
test("an update that changes what the id is made of is answered with the new id", async (t) => {
  const upsert = { method: "PUT" as const, path: "/people/{value}", keys: ["name"] };
  const id = "7b7a53e239400a13bd6be6c91c4f6c4e";
  for (const [answered, keyHash] of [
    ["ada", undefined],
    ["8c8d357b5e872bbacd45197626bd5759", "md5"],
  ] as const) {
    const rules: ObjectRules = {
      idPattern: "[A-Za-z0-9-]+",
      ...(keyHash && { upsert: { ...upsert, keyHash } }),
    };
    const body = { id: answered, name: "Ada" };
    assert.equal(kindIn(await writeTo(t, "update", { body }, { rules, id })), "success", answered);
  }
});

test("a record whose id is written otherwise in the answer is the same one", async (t) => {
  const rules: ObjectRules = { idPattern: "[A-Za-z0-9@.-]+" };
  for (const [id, body] of [
    ["7", { id: 7 }],
    ["7", { id: "gid://quill/Person/7" }],
    ["AB-12", { id: "ab12" }],
    ["me", { id: "7" }],
    ["ada@quill.example", { id: "7", profile: { login: "ada@quill.example" } }],
    ["code-ada", { id: "u7", code: "code-ada" }],
  ] as const)
    assert.equal(kindIn(await writeTo(t, "update", { body }, { rules, id })), "success", id);
});
