import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { WriteAbilities } from "../../connector-kit/connector.ts";
import { Problem } from "../../ground/errors.ts";
import type { JsonObject } from "../../ground/json.ts";
import type { FieldSettings, ObjectSettings } from "./object-settings.ts";
import { planWrite } from "./plan-write.ts";
import { listNeededReads, settlePlan } from "./settle-plan.ts";
import type { WriteRequest } from "./write-request.ts";

const ALL: WriteAbilities = {
  delete: true,
  associations: true,
  headers: true,
  ifEmpty: true,
  upsert: true,
  batchLimit: 100,
};
const NONE: WriteAbilities = {
  delete: false,
  associations: false,
  headers: false,
  ifEmpty: false,
  upsert: false,
};

const settings = (changes: Partial<ObjectSettings> = {}): ObjectSettings => ({
  objectName: "contacts",
  providerName: "HubSpot",
  fields: {},
  deletionEnabled: false,
  dropUnmapped: false,
  ...changes,
});

const request = (changes: Partial<WriteRequest>): WriteRequest => ({
  groupRef: "g",
  type: "create",
  ...changes,
});

function listIssues(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return (error.options.issues ?? []).map((issue) => issue.name);
    throw error;
  }
  return [];
}

describe("two names that lead to one provider field", () => {
  const mapping = {
    mappedToProvider: new Map([
      ["mail", "email"],
      ["contact", "email"],
      ["city", "$['address']['city']"],
      ["street", "$['address']['street']"],
      ["open", undefined],
    ]),
    valueMappings: new Map(),
  };
  const listPlaces = (record: JsonObject, changes: Partial<ObjectSettings> = {}) =>
    listIssues(() => planWrite(request({ record }), settings({ mapping, ...changes }), ALL));

  test("are refused with their place, because one value would be lost", () => {
    assert.deepEqual(listPlaces({ mail: "a", email: "b" }), ["record.email"]);
    assert.deepEqual(listPlaces({ mail: "a", contact: "b" }), ["record.contact"]);
    assert.deepEqual(listPlaces({ phone: "1", Phone: "2" }, { mapping: undefined }), ["record.Phone"]);
    assert.deepEqual(listPlaces({ mail: "a", EMAIL: "b" }), ["record.EMAIL"]);
    assert.deepEqual(listPlaces({ city: "Oslo", address: { zip: "1" } }), ["record.address"]);
    const batch = [{ record: { mail: "a" } }, { record: { mail: "a", email: "b" } }];
    assert.deepEqual(
      listIssues(() => planWrite(request({ batch }), settings({ mapping }), ALL)),
      ["batch[1].record.email"],
    );
  });

  test("are accepted where no value is lost: members of one object, an unmapped name, dropped fields", () => {
    assert.deepEqual(listPlaces({ city: "Oslo", street: "1", open: "x", mail: "a" }), []);
    assert.deepEqual(listPlaces({ mail: "a", email: "b" }, { dropUnmapped: true }), []);
  });
});

describe("every combination of type, mode, batch and setting", () => {
  const RULES = [undefined, "always", "never", "ifEmpty"] as const;
  const DEFAULTS = [undefined, "fallback"] as const;
  for (const type of ["create", "update"] as const) {
    for (const mode of [undefined, "synchronous", "asynchronous"] as const) {
      for (const batch of [false, true]) {
        for (const onCreate of RULES.slice(0, 3) as (undefined | "always" | "never")[]) {
          for (const onUpdate of RULES) {
            for (const fallback of DEFAULTS) {
              for (const given of [undefined, "value"]) {
                const title = [
                  type,
                  mode,
                  batch && "batch",
                  `create:${onCreate}`,
                  `update:${onUpdate}`,
                  fallback,
                  given,
                ];
                test(title.filter(Boolean).join(" "), () =>
                  check({ type, mode, batch, onCreate, onUpdate, fallback, given }),
                );
              }
            }
          }
        }
      }
    }
  }
});

interface Case {
  type: "create" | "update";
  mode: "synchronous" | "asynchronous" | undefined;
  batch: boolean;
  onCreate: FieldSettings["writeOnCreate"];
  onUpdate: FieldSettings["writeOnUpdate"];
  fallback: string | undefined;
  given: string | undefined;
}

/** The rules said again, independently: value or default, unless the setting for this type says never. */
function check(one: Case): void {
  const { type, mode, batch, onCreate, onUpdate, fallback, given } = one;
  const record = { ...(type === "update" && { id: "7" }), other: "x", ...(given && { field: given }) };
  const busbar = settings({
    fields: { field: { writeOnCreate: onCreate, writeOnUpdate: onUpdate, default: fallback } },
  });
  const body = request({ type, mode, ...(batch ? { batch: [{ record }, { record }] } : { record }) });
  const plan = planWrite(body, busbar, ALL);
  const rule = type === "create" ? onCreate : onUpdate;
  const value = given ?? fallback;
  const expected: JsonObject = {
    other: "x",
    ...(value !== undefined && rule !== "never" && { field: value }),
  };
  assert.equal(plan.records.length, batch ? 2 : 1);
  assert.equal(plan.batch, batch);
  for (const planned of plan.records) {
    assert.deepEqual(planned.fields, expected);
    assert.equal(planned.id, type === "update" ? "7" : undefined);
    assert.deepEqual(planned.ifEmpty, rule === "ifEmpty" && value !== undefined ? ["field"] : []);
    assert.equal(planned.withheld.length, rule === "never" && value !== undefined ? 1 : 0);
  }
}

test("a setting holds whatever the case of the field's name", () => {
  const busbar = settings({ fields: { name: { writeOnUpdate: "never" } } });
  const plan = planWrite(request({ type: "update", record: { id: "1", Name: "x" } }), busbar, ALL);
  assert.deepEqual(plan.records[0]?.fields, {});
});

test("ifEmpty writes what is empty at the provider and withholds what is not", () => {
  const busbar = settings({ fields: { a: { writeOnUpdate: "ifEmpty" }, b: { writeOnUpdate: "ifEmpty" } } });
  const plan = planWrite(
    request({ type: "update", record: { id: "1", a: "new", b: "new", c: "new" } }),
    busbar,
    ALL,
  );
  assert.deepEqual(listNeededReads(plan), { ids: ["1"], fields: ["a", "b"] });
  const { plan: settled } = settlePlan(
    plan,
    new Map([["1", { a: "old", b: null }]]),
    (value) => value === null,
  );
  assert.deepEqual(settled.records[0]?.fields, { b: "new", c: "new" });
  assert.match(settled.records[0]?.withheld[0]?.reason ?? "", /has a value/);
});

test("mapped names become the customer's fields, nested ones too, and values are translated back", () => {
  const mapping = {
    mappedToProvider: new Map<string, string | undefined>([
      ["givenName", "firstname"],
      ["$['address']['town']", "$['location']['city']"],
      ["notes", undefined],
      ["stage", "lifecyclestage"],
    ]),
    valueMappings: new Map([["stage", new Map([["customer", "9"]])]]),
  };
  const record = {
    givenName: "Ada",
    address: { town: "London", zip: "N1" },
    notes: "dropped",
    stage: "customer",
    plain: 1,
  };
  const plan = planWrite(request({ record }), settings({ mapping }), ALL);
  assert.deepEqual(plan.records[0]?.fields, {
    firstname: "Ada",
    location: { city: "London" },
    lifecyclestage: "9",
    address: { zip: "N1" },
    plain: 1,
  });
  assert.deepEqual(
    plan.records[0]?.withheld.map(({ field }) => field),
    ["notes"],
  );
  const dropped = planWrite(request({ record }), settings({ mapping, dropUnmapped: true }), ALL);
  assert.deepEqual(Object.keys(dropped.records[0]?.fields ?? {}), [
    "firstname",
    "location",
    "lifecyclestage",
  ]);
});

test("a default keyed by a mapped name lands in the customer's field", () => {
  const mapping = { mappedToProvider: new Map([["source", "hs_source"]]), valueMappings: new Map() };
  const plan = planWrite(
    request({ record: { x: 1 } }),
    settings({ mapping, fields: { source: { default: "app" } } }),
    ALL,
  );
  assert.deepEqual(plan.records[0]?.fields, { x: 1, hs_source: "app" });
});

test("the order of fields with dangerous names changes nothing of ours", () => {
  const record = JSON.parse('{"constructor": 1, "toString": 2, "hasOwnProperty": 3}');
  assert.deepEqual(planWrite(request({ record }), settings(), ALL).records[0]?.fields, record);
});

test("each refusal names its member", () => {
  const refused = (changes: Partial<WriteRequest>, deps = settings()) =>
    listIssues(() => planWrite(request(changes), deps, ALL));
  const record = { a: 1 };
  assert.deepEqual(refused({}), ["record"]);
  assert.deepEqual(refused({ record, batch: [{ record }] }), ["batch"]);
  assert.deepEqual(refused({ record, batchPolicy: { allOrNone: true } }), ["batchPolicy"]);
  assert.deepEqual(refused({ type: "update", record }), ["record.id"]);
  assert.deepEqual(refused({ type: "update", batch: [{ record: { id: "1" } }, { record }] }), [
    "batch[1].record.id",
  ]);
  assert.deepEqual(refused({ record, autoBatchPolicy: { maxDelayMinutes: 1 } }), ["autoBatchPolicy"]);
  assert.deepEqual(refused({ record, retryPolicy: { deadlineHours: 1 } }), ["retryPolicy"]);
  assert.deepEqual(refused({ record, headers: [{ key: "Authorization", value: "x" }] }), ["headers[0].key"]);
  assert.deepEqual(refused({ record, headers: [{ key: "X", value: "a\r\nb" }] }), ["headers[0].value"]);
  const enabled = settings({ deletionEnabled: true });
  assert.deepEqual(refused({ type: "delete", record: { id: "1" } }), ["type"]);
  assert.deepEqual(refused({ type: "delete", record: { id: "1", name: "x" } }, enabled), ["record.name"]);
  assert.deepEqual(
    refused({ type: "delete", batch: [{ record: { id: "1" } }] }, enabled),
    ["record", "batch"].slice(1),
  );
  assert.deepEqual(refused({ type: "delete", record: { id: "1" }, mode: "asynchronous" }, enabled), []);
});

test("what the provider lacks is refused with a type of its own, before anything else", () => {
  const associations = [{ to: { id: "1" }, types: [{ associationCategory: "X", associationTypeId: 1 }] }];
  const lacking = (changes: Partial<WriteRequest>) => {
    try {
      planWrite(request(changes), settings(), NONE);
    } catch (error) {
      return error instanceof Problem ? error.slug : String(error);
    }
    return "planned";
  };
  const record = { a: 1 };
  assert.equal(lacking({ batch: [{ record }] }), "unsupported-by-provider");
  assert.equal(lacking({ record, associations }), "unsupported-by-provider");
  assert.equal(lacking({ record, headers: [{ key: "A", value: "b" }] }), "unsupported-by-provider");
  assert.equal(lacking({ type: "delete", record: { id: "1" } }), "unsupported-by-provider");
  assert.equal(
    lacking({ record, mode: "asynchronous", autoBatchPolicy: { maxDelayMinutes: 1 } }),
    "unsupported-by-provider",
  );
  assert.equal(lacking({ record }), "planned");
});

test("what JSON can say and nobody can keep is refused with its place, however deep", () => {
  const refused = (json: string) =>
    listIssues(() => planWrite(request({ batch: [{ record: JSON.parse(json) }] }), settings(), ALL));
  const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
  assert.deepEqual(refused('{"amount": 1e999}'), ["batch[0].record.amount"]);
  assert.deepEqual(refused('{"amount": [{"x": -1e999}]}'), ["batch[0].record.amount"]);
  assert.deepEqual(refused('{"a\\u0000b": 1}'), ["batch[0].record.ab"]);
  assert.deepEqual(refused('{"a": {"\\ud800": 1}}'), ["batch[0].record.a"]);
  assert.deepEqual(refused(`{"a": ${nested(200_000)}}`), ["batch[0].record.a"]);
  assert.deepEqual(refused(`{"a": ${nested(90)}, "b": 1e300}`), []);
});

test("a create without a field is refused: it would make an empty record in the customer's account", () => {
  const create = (changes: Partial<WriteRequest>, fields: ObjectSettings["fields"] = {}) =>
    listIssues(() => planWrite(request(changes), settings({ fields }), ALL));
  const associations = [
    { to: { id: "1" }, types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 279 }] },
  ];
  assert.deepEqual(create({ record: {} }), ["record"]);
  assert.deepEqual(create({ batch: [{ record: { a: 1 } }, { record: {} }] }), ["batch[1].record"]);
  assert.deepEqual(create({ record: {}, associations }), []);
  assert.deepEqual(create({ record: {} }, { stage: { default: "lead" } }), []);
  assert.deepEqual(create({ type: "update", record: { id: "1" } }), []);
});
