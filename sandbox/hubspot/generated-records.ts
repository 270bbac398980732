// Records of a generated HubSpot account, whose values follow from their positions.

import type { GenerateSpec } from "../provider.ts";
import { toIsoText } from "../records/iso-text.ts";
import { buildLazyValues, type Seed, type ValueMaker } from "../records/lazy-values.ts";
import { buildTemplateMaker } from "../records/template.ts";
import type { Account, TypeStore } from "./account.ts";

type Makers = Record<string, ValueMaker<string>>;

/** Generates records. Returns the first and the last id. */
export function generateRecords(
  account: Account,
  store: TypeStore,
  spec: GenerateSpec,
): { count: number; firstId: string; lastId: string } {
  const makers = buildMakers(store, spec);
  const values = buildLazyValues(makers);
  const firstKey = account.reserveIds(spec.count);
  const span = { firstKey, count: spec.count, fromMs: spec.changedFrom, toMs: spec.changedTo, unitMs: 1 };
  store.table.addBlock(span, (index, key, changedAt) => {
    const id = String(key);
    const properties = values({ index, id, createdAt: changedAt, changedAt });
    return { key, id, properties, createdAt: changedAt, updatedAt: changedAt, archived: false };
  });
  for (const { object, firstId, count } of spec.linked ?? []) {
    const target = account.find(object);
    if (target === undefined) throw new RangeError(`no HubSpot object ${object}`);
    const run = { type: target.type.id, first: Number(firstId), count };
    account.associations.generate({ type: store.type.id, first: firstKey, count: spec.count }, run);
  }
  return { count: spec.count, firstId: String(firstKey), lastId: String(firstKey + spec.count - 1) };
}

function buildMakers(store: TypeStore, spec: GenerateSpec): Map<string, ValueMaker<string>> {
  const { type } = store;
  const system: Makers = {
    hs_object_id: ({ id }) => id,
    [type.createdProperty]: ({ createdAt }) => toIsoText(createdAt),
    [type.modifiedProperty]: ({ changedAt }) => toIsoText(changedAt),
    hs_object_source: () => "IMPORT",
    hs_object_source_label: () => "IMPORT",
  };
  const makers = new Map(Object.entries({ ...system, ...(BY_TYPE[type.name] ?? buildOwnProperties(store)) }));
  for (const [name, value] of Object.entries(spec.values)) {
    const property = store.properties.get(name.toLowerCase());
    if (property === undefined) throw new RangeError(`${type.name} has no property ${name}`);
    if (value === null) makers.delete(property.name);
    else
      makers.set(
        property.name,
        buildTemplateMaker(String(value), (text) => text),
      );
  }
  return makers;
}

/** Builds the values of user-defined properties. */
function buildOwnProperties(store: TypeStore): Makers {
  const own = [...store.properties.values()].filter((property) => property.hubspotDefined === false);
  return Object.fromEntries(
    own.map(({ name, type }): [string, ValueMaker<string>] => [
      name,
      ({ index }) => (type === "number" ? String(index) : `${name} ${index}`),
    ]),
  );
}

const FIRST_NAMES = ["Ada", "Grace", "Linus", "Mary", "Noel", "Ines", "Otto", "Pia"];
const CITIES = ["Oslo", "Malmö", "Austin", "Porto", "Kyoto"];
const LIFECYCLE = ["subscriber", "lead", "opportunity", "customer"];
const STAGES = ["appointmentscheduled", "qualifiedtobuy", "contractsent", "closedwon"];
const INDUSTRIES = ["COMPUTER_SOFTWARE", "RETAIL", "UTILITIES"];
const STATUSES = ["1", "2", "3", "4"];

function pickOne(values: string[]): ValueMaker<string> {
  return ({ index }: Seed) => values[index % values.length] ?? "";
}

const BY_TYPE: Record<string, Makers> = {
  contacts: {
    email: ({ index }) => `person-${index}@generated.example`,
    firstname: pickOne(FIRST_NAMES),
    lastname: ({ index }) => `Person ${index}`,
    phone: ({ index }) => `+1 555 ${String(index).padStart(7, "0")}`,
    jobtitle: ({ index }) => `Title ${index % 100}`,
    city: pickOne(CITIES),
    lifecyclestage: pickOne(LIFECYCLE),
  },
  companies: {
    name: ({ index }) => `Company ${index}`,
    domain: ({ index }) => `company-${index}.generated.example`,
    city: pickOne(CITIES),
    industry: pickOne(INDUSTRIES),
    numberofemployees: ({ index }) => String(index % 5000),
  },
  deals: {
    dealname: ({ index }) => `Deal ${index}`,
    amount: ({ index }) => String((index % 1000) * 100),
    dealstage: pickOne(STAGES),
    pipeline: () => "default",
  },
  tickets: {
    subject: ({ index }) => `Ticket ${index}`,
    hs_pipeline: () => "0",
    hs_pipeline_stage: pickOne(STATUSES),
  },
};
