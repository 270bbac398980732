/** Describing HubSpot objects: sensitive properties, and answers that are no refusal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../ground/json.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { fields } from "./fields.ts";
import { read } from "./read.ts";

const property = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  label: name,
  type: "string",
  fieldType: "text",
  options: [],
  ...more,
});
const listed = (...results: Json[]): Reply => ({ status: 200, body: { results } });
const FORBIDDEN: Reply = { status: 403, body: { message: "no scope", category: "MISSING_SCOPES" } };

/** Answers by the end of the path; other requests are forbidden. */
const answering = (answers: Record<string, Reply>) =>
  replay(({ path }: ProviderRequest) => {
    const [, reply] = Object.entries(answers).find(([end]) => path.endsWith(end)) ?? [];
    return reply ?? FORBIDDEN;
  });

test("sensitive properties are described, and a read of all fields leaves them out", async () => {
  // `dataSensitivity` of HubSpot-public-api-spec-collection 9989379, properties.json: without it only those that are not sensitive are listed.
  const { fetch } = answering({
    "/properties/2026-03/contacts": listed(property("email")),
    "dataSensitivity=sensitive": listed(property("passport", { dataSensitivity: "sensitive" })),
    "dataSensitivity=highly_sensitive": listed(property("ssn", { dataSensitivity: "highly_sensitive" })),
  });
  const metadata = await fields.describe("contacts", fetch);
  assert.deepEqual(Object.keys(metadata.fields), ["email", "passport", "ssn"]);
  const withAll = Object.values(metadata.fields).filter((field) => read.isReadWithAll?.(field) !== false);
  assert.deepEqual(
    withAll.map(({ fieldName }) => fieldName),
    ["email"],
  );
});

test("a property that is listed at every level is not sensitive", async () => {
  const all = listed(property("email"));
  const metadata = await fields.describe("contacts", replay(all, all, all, FORBIDDEN).fetch);
  assert.equal(metadata.fields["email"]?.isSensitive, undefined);
});

test("an account that lists no sensitive properties is described without them", async () => {
  const { fetch } = answering({ "/properties/2026-03/contacts": listed(property("email")) });
  const metadata = await fields.describe("contacts", fetch);
  assert.deepEqual(Object.keys(metadata.fields), ["email"]);
});

test("a limit or an outage while an object is described is no refusal: nothing counts as gone", async () => {
  const stage = property("dealstage", { type: "enumeration", fieldType: "radio" });
  const answers = {
    "/properties/2026-03/deals": listed(stage),
    "/schemas/deals": { status: 200, body: { requiredProperties: ["dealstage"] } },
    "/pipelines/2026-03/deals": listed({ id: "p", label: "Sales", stages: [{ id: "s", label: "New" }] }),
    "dataSensitivity=sensitive": listed(property("passport")),
  };
  const limited: Reply = { status: 429, body: { message: "limit", category: "RATE_LIMITS" } };
  for (const end of Object.keys(answers)) {
    for (const reply of [limited, { status: 503 }]) {
      const { fetch } = answering({ ...answers, [end]: reply });
      await assert.rejects(fields.describe("deals", fetch), { name: "ProviderError" }, end);
    }
  }
});
