/** Guards writes through lists: the entry is made or changed, the others stay, and what cannot be undone is refused unsent. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { WriteAbilities, WriteConnector } from "../../connector-kit/connector.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { Problem } from "../../ground/errors.ts";
import type { JsonObject } from "../../ground/json.ts";
import { applyPlan } from "./execute-plan.ts";
import type { FieldSettings, ObjectSettings } from "./object-settings.ts";
import { planWrite } from "./plan-write.ts";
import type { WriteRequest } from "./write-request.ts";

const CAN: WriteAbilities = {
  delete: true,
  associations: false,
  headers: false,
  ifEmpty: true,
  upsert: true,
};

/** Shapes: Pipedrive's client-nodejs 2026-04-20 (v2, emails), Google's People API (metadata.primary), Microsoft Graph v1.0 (contact). */
const PATHS = {
  main: "$['emails'][?primary]['value']",
  work: "$['emails'][?label='work']['value']",
  first: "$['emails'][0]['value']",
  second: "$['emails'][1]['value']",
  google: "$['emailAddresses'][?metadata.primary]['value']",
  phone: "$['businessPhones'][0]",
  city: "$['address']['city']",
};

const settings = (fields: Record<string, FieldSettings> = {}): ObjectSettings => ({
  objectName: "persons",
  providerName: "Pipedrive",
  mapping: { mappedToProvider: new Map(Object.entries(PATHS)), valueMappings: new Map() },
  fields,
  deletionEnabled: false,
  dropUnmapped: false,
});

const buildPlan = (
  type: WriteRequest["type"],
  record: JsonObject,
  { fields, abilities = CAN }: { fields?: Record<string, FieldSettings>; abilities?: WriteAbilities } = {},
) => {
  const key = type === "upsert" ? { key: "name" } : {};
  return planWrite({ groupRef: "g", type, record, ...key }, settings(fields), abilities);
};

const created = (record: JsonObject, fields?: Record<string, FieldSettings>): unknown =>
  buildPlan("create", record, fields ? { fields } : {}).records[0]?.fields;

function catchRefusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return String(error.options.detail);
    throw error;
  }
  return "none";
}

describe("a create through a list", () => {
  test("makes the entry, with the member of the condition", () => {
    assert.deepEqual(created({ main: "a@b.example", work: "w@b.example", name: "Ada" }), {
      name: "Ada",
      emails: [
        { primary: true, value: "a@b.example" },
        { label: "work", value: "w@b.example" },
      ],
    });
    assert.deepEqual(created({ first: "x", main: "y", phone: "+47 1" }), {
      emails: [{ value: "x" }, { primary: true, value: "y" }],
      businessPhones: ["+47 1"],
    });
    assert.deepEqual(created({ google: "g@b.example" }), {
      emailAddresses: [{ metadata: { primary: true }, value: "g@b.example" }],
    });
  });

  test("makes nothing of null, and takes defaults", () => {
    assert.deepEqual(created({ main: null, name: "Ada" }), { name: "Ada" });
    const fields = { main: { default: "d@b.example" }, city: { default: "Oslo" } };
    assert.deepEqual(created({ name: "Ada" }, fields), {
      name: "Ada",
      emails: [{ primary: true, value: "d@b.example" }],
      address: { city: "Oslo" },
    });
    assert.deepEqual(created({ main: "own", city: "Bergen" }, fields), {
      emails: [{ primary: true, value: "own" }],
      address: { city: "Bergen" },
    });
  });

  test("is refused through another position, or where the list is given as well", () => {
    assert.match(
      catchRefusal(() => buildPlan("create", { second: "x" })),
      /record\.second: It is \[1\] of a list/,
    );
    assert.match(
      catchRefusal(() => buildPlan("create", { main: "x", emails: [] })),
      /same field/,
    );
  });
});

test("an upsert through a list is refused, and so is an update where the record cannot be read first", () => {
  assert.match(
    catchRefusal(() => buildPlan("upsert", { name: "Ada", main: "x" })),
    /record\.main: .*upsert does not read/,
  );
  const abilities = { ...CAN, ifEmpty: false };
  assert.match(
    catchRefusal(() => buildPlan("update", { id: "1", main: "x" }, { abilities })),
    /cannot read the other entries/,
  );
});

describe("an update through a list", () => {
  const emails = [
    { value: "home@b.example", primary: false, label: "home" },
    { value: "main@b.example", primary: true, label: "work" },
  ];

  async function sent(
    record: JsonObject,
    current: JsonObject | undefined,
    fields?: Record<string, FieldSettings>,
  ) {
    const provider = replay({ status: 200, body: {} });
    const written: JsonObject[] = [];
    const connector = {
      isEmpty: (value) => value === undefined || value === null,
      readFields: async () => new Map(current ? [["1", current]] : []),
      write: async ({ records }) => {
        written.push(...records.map((one) => one.fields));
        return { outcomes: records.map(() => ({ success: true, recordId: "1" })), warnings: [] };
      },
    } satisfies Partial<WriteConnector> as unknown as WriteConnector;
    const plan = buildPlan("update", { id: "1", ...record }, fields ? { fields } : {});
    // As a queued write is stored.
    const stored = structuredClone(plan);
    const { outcomes, plan: settled } = await applyPlan(stored, connector, provider.fetch, {
      readBack: false,
    });
    const [outcome] = outcomes;
    const refusal =
      outcome?.success === false ? `${outcome.error.kind}: ${outcome.error.message}` : undefined;
    return { written, refusal, withheld: settled.records[0]?.withheld ?? [] };
  }

  test("keeps the other entries and the other members of the entry", async () => {
    const { written } = await sent({ main: "new@b.example", name: "Ada" }, { emails });
    assert.deepEqual(written, [
      { name: "Ada", emails: [emails[0], { ...emails[1], value: "new@b.example" }] },
    ]);
    assert.equal(emails[1]?.value, "main@b.example");
    const second = await sent({ second: "s@b.example" }, { emails });
    assert.deepEqual(second.written, [{ emails: [emails[0], { ...emails[1], value: "s@b.example" }] }]);
  });

  test("appends the entry that no condition finds, also to a list that is empty or not there", async () => {
    const one = [emails[0] ?? {}];
    assert.deepEqual((await sent({ main: "m" }, { emails: one })).written, [
      { emails: [...one, { primary: true, value: "m" }] },
    ]);
    for (const current of [{ emails: [] }, { emails: null }, {}] as JsonObject[])
      assert.deepEqual((await sent({ main: "m" }, current)).written, [
        { emails: [{ primary: true, value: "m" }] },
      ]);
    assert.deepEqual((await sent({ phone: "1" }, { businessPhones: ["0", "2"] })).written, [
      { businessPhones: ["1", "2"] },
    ]);
  });

  test("clears with null what is there, and sends nothing where nothing is", async () => {
    assert.deepEqual((await sent({ main: null }, { emails })).written, [
      { emails: [emails[0], { ...emails[1], value: null }] },
    ]);
    assert.deepEqual((await sent({ phone: null }, { businessPhones: ["0", "2"] })).written, [
      { businessPhones: ["2"] },
    ]);
    const nothing = await sent({ main: null }, {});
    assert.deepEqual([nothing.written, nothing.refusal], [[], undefined]);
  });

  test("is refused, unsent, where the place is not there or two names are one entry", async () => {
    for (const [record, current, says] of [
      [{ second: "x" }, { emails: [emails[0]] }, /^invalid: second: .*no such entry/],
      [{ main: "x" }, { emails: "a@b.example" }, /^invalid: main: .*plain value/],
      [{ main: "x", work: "y" }, { emails }, /^invalid: work: .*same entry of this record as `main`/],
      [{ main: "x" }, undefined, /^not_found: /],
    ] as [JsonObject, JsonObject | undefined, RegExp][]) {
      const { written, refusal } = await sent(record, current);
      assert.deepEqual(written, [], String(says));
      assert.match(refusal ?? "none", says);
    }
    assert.deepEqual((await sent({ main: "x", work: "x" }, { emails })).refusal, undefined);
  });

  test("ifEmpty and never hold for the entry, not for the list", async () => {
    const fields: Record<string, FieldSettings> = { main: { writeOnUpdate: "ifEmpty" } };
    const full = await sent({ main: "x", name: "Ada" }, { emails }, fields);
    assert.deepEqual(full.written, [{ name: "Ada" }]);
    assert.deepEqual(full.withheld, [
      { field: PATHS.main, reason: "writeOnUpdate is ifEmpty and the field has a value" },
    ]);
    const empty = await sent({ main: "x" }, { emails: [emails[0] ?? {}] }, fields);
    assert.deepEqual(empty.written, [{ emails: [emails[0], { primary: true, value: "x" }] }]);
    const never = await sent({ main: "x", work: "y" }, { emails }, { main: { writeOnUpdate: "never" } });
    assert.deepEqual(never.written, [{ emails: [emails[0], { ...emails[1], value: "y" }] }]);
  });
});
