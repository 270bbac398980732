// Records of a generated organisation, whose values follow from their positions.

import type { GenerateSpec, LinkedRun } from "../provider.ts";
import { buildLazyValues, type Seed, type ValueMaker } from "../records/lazy-values.ts";
import { buildTemplateMaker } from "../records/template.ts";
import type { Scalar } from "./fields.ts";
import { toRecordId, toRecordNumber } from "./ids.ts";
import { toStamp, USER_ID, type ObjectStore } from "./org.ts";

type Makers = Record<string, ValueMaker<Scalar>>;

/** Generates records. Returns the first and the last id. */
export function generateRecords(
  store: ObjectStore,
  spec: GenerateSpec,
): { count: number; firstId: string; lastId: string } {
  const values = buildLazyValues(buildMakers(store, spec));
  const { prefix } = store.definition;
  const firstKey = store.reserveNumbers(spec.count);
  const span = { firstKey, count: spec.count, fromMs: spec.changedFrom, toMs: spec.changedTo, unitMs: 1000 };
  store.table.addBlock(span, (index, key, changedAt) => {
    const id = toRecordId(prefix, key);
    const seed = { index, id, createdAt: changedAt, changedAt };
    return { key, id, values: values(seed), deleted: false, updatedAt: changedAt };
  });
  const last = firstKey + spec.count - 1;
  return { count: spec.count, firstId: toRecordId(prefix, firstKey), lastId: toRecordId(prefix, last) };
}

function buildMakers(store: ObjectStore, spec: GenerateSpec): Map<string, ValueMaker<Scalar>> {
  const makers = new Map<string, ValueMaker<Scalar>>();
  for (const { name, defaultValue } of store.definition.fields.values()) {
    if (defaultValue !== null && defaultValue !== "") makers.set(name, () => defaultValue);
  }
  for (const [name, maker] of Object.entries({ ...SYSTEM, ...BY_OBJECT[store.definition.name] })) {
    if (store.definition.fields.has(name.toLowerCase())) makers.set(name, maker);
  }
  for (const [name, value] of Object.entries(spec.values)) {
    const field = store.definition.fields.get(name.toLowerCase());
    if (field === undefined) throw new RangeError(`${store.definition.name} has no field ${name}`);
    makers.set(
      field.name,
      buildTemplateMaker<Scalar>(value, (text) => text),
    );
  }
  for (const run of spec.linked ?? []) addReference(store, makers, run);
  return makers;
}

/** Fills a reference with the ids of a run, round-robin. */
function addReference(store: ObjectStore, makers: Map<string, ValueMaker<Scalar>>, run: LinkedRun): void {
  const { object, firstId, count } = run;
  const references = [...store.definition.fields.values()].filter((field) =>
    field.referenceTo.includes(object),
  );
  const field = run.field === undefined ? references[0] : references.find(({ name }) => name === run.field);
  const first = toRecordNumber(firstId);
  if (field === undefined || first === undefined) {
    throw new RangeError(
      `${store.definition.name} has no such reference to ${object}, or ${firstId} is no id`,
    );
  }
  const prefix = firstId.slice(0, 3);
  makers.set(field.name, ({ index }) => toRecordId(prefix, first + (index % count)));
}

const SYSTEM: Makers = {
  Id: ({ id }) => id,
  IsDeleted: () => false,
  CreatedDate: ({ createdAt }) => toStamp(createdAt),
  CreatedById: () => USER_ID,
  LastModifiedDate: ({ changedAt }) => toStamp(changedAt),
  LastModifiedById: () => USER_ID,
  SystemModstamp: ({ changedAt }) => toStamp(changedAt),
  OwnerId: () => USER_ID,
};

const FIRST_NAMES = ["Ada", "Grace", "Linus", "Mary", "Noel", "Ines", "Otto", "Pia"];
const CITIES = ["Oslo", "Malmö", "Austin", "Porto", "Kyoto"];
const INDUSTRIES = ["Banking", "Energy", "Retail", "Technology"];
const STAGES = ["Prospecting", "Qualification", "Closed Won", "Closed Lost"];

function pickOne(values: string[]): ValueMaker<Scalar> {
  return ({ index }: Seed) => values[index % values.length] ?? null;
}

const firstName = pickOne(FIRST_NAMES);

const PERSON: Makers = {
  FirstName: firstName,
  LastName: ({ index }) => `Person ${index}`,
  Name: (seed) => `${String(firstName(seed))} Person ${seed.index}`,
  Email: ({ index }) => `person-${index}@generated.example`,
  Phone: ({ index }) => `+1 555 ${String(index).padStart(7, "0")}`,
  Title: ({ index }) => `Title ${index % 100}`,
};

const BY_OBJECT: Record<string, Makers> = {
  Account: {
    Name: ({ index }) => `Account ${index}`,
    Industry: pickOne(INDUSTRIES),
    Website: ({ index }) => `https://account-${index}.generated.example`,
    NumberOfEmployees: ({ index }) => index % 5000,
    BillingCity: pickOne(CITIES),
  },
  Contact: { ...PERSON, MailingCity: pickOne(CITIES) },
  Lead: { ...PERSON, Company: ({ index }) => `Company ${index % 1000}` },
  Opportunity: {
    Name: ({ index }) => `Opportunity ${index}`,
    StageName: pickOne(STAGES),
    CloseDate: () => "2026-06-30",
    Amount: ({ index }) => (index % 1000) * 100,
    IsClosed: ({ index }) => index % STAGES.length > 1,
    IsWon: ({ index }) => index % STAGES.length === 2,
  },
  Case: { Subject: ({ index }) => `Case ${index}` },
  Task: { Subject: ({ index }) => `Task ${index}` },
  Machine__c: {
    Name: ({ index }) => `Machine ${index}`,
    Serial_Number__c: ({ index }) => `G-${index}`,
    Capacity_KW__c: ({ index }) => index % 500,
  },
};
