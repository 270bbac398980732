/** Collects against what each action of each provider's objects was verified, from the files of facts and the list of known faults. */
import type { Facts, ObjectFacts } from "../connector-kit/facts/facts.ts";
import type { Description } from "../connector-kit/declarative/rules/description.ts";
import { buildPlans, type ObjectPlan } from "../connector-kit/declarative/object-plan.ts";
import { UNVERIFIED, type ProviderEvidence } from "../connector-kit/provider-evidence.ts";
import { CONNECTORS } from "../connectors/connectors.gen.ts";
import { DESCRIPTIONS } from "../connectors/descriptions.gen.ts";
import { readFacts } from "../simulations/vendor/suite/facts-subject.ts";
import { readKnownFaults } from "../simulations/vendor/suite/known-faults.ts";

/** The facts that say something about an action. */
const FACTS = {
  read: ({ list }: ObjectFacts) => list,
  changes: ({ list, changes }: ObjectFacts) => changes ?? (list?.since && list),
  create: ({ create }: ObjectFacts) => create,
  update: ({ update }: ObjectFacts) => update,
  upsert: ({ upsert }: ObjectFacts) => upsert,
  delete: (facts: ObjectFacts) => facts.delete,
};

type EvidenceAction = keyof typeof FACTS;
export const EVIDENCE_ACTIONS = Object.keys(FACTS) as EvidenceAction[];

/** Returns the evidence of each provider with a connector, by key. */
export const collectProviderEvidence = (): Record<string, ProviderEvidence> =>
  Object.fromEntries(
    Object.keys(CONNECTORS)
      .toSorted()
      .map((key) => [key, readEvidence(key, DESCRIPTIONS[key], readFacts(key))]),
  );

function readEvidence(
  provider: string,
  description: Description | undefined,
  facts: Facts | undefined,
): ProviderEvidence {
  const objects = Object.fromEntries(
    listPromisedActions(description, facts).map(([object, actions]) => [
      object,
      Object.fromEntries(actions.map((action) => [action, buildSourceKey(facts, object, action)])),
    ]),
  );
  const used = new Set(Object.values(objects).flatMap((actions) => Object.values(actions)));
  const sources = Object.entries(facts?.sources ?? {}).filter(([key]) => used.has(key));
  const notRead = Object.entries(facts?.objects ?? {})
    .map(([object, { list }]) => [object, listNotRead(list)] as const)
    .filter(([, records]) => records.length > 0);
  const faults = readKnownFaults().filter((fault) => fault.startsWith(`${provider} `));
  return {
    sources: Object.fromEntries(sources.map(([key, source]) => [key, showSource(source)])),
    objects,
    ...(notRead.length > 0 && { notRead: Object.fromEntries(notRead) }),
    ...(faults.length > 0 && { faults: faults.map((fault) => fault.slice(provider.length + 1)) }),
  };
}

/** Returns records that a list leaves out and that no parameter and no other list brings, and fields that are not read from single records. */
const listNotRead = (list: ObjectFacts["list"]): string[] => {
  const { fields, costly = false } = list?.onlySingle ?? {};
  const names = (fields ?? []).map((field) => `\`${field}\``).join(", ");
  return [
    ...(list?.hidden ?? [])
      .filter(({ shownBy, alsoAt, within }) => (shownBy ?? alsoAt ?? within) === undefined)
      .map(({ what }) => what),
    ...(costly ? [`${names} of each record, which the answer by its id has`] : []),
  ];
};

/** Returns what the connector can do; where it is written out in code, what there are facts about. */
function listPromisedActions(
  description: Description | undefined,
  facts: Facts | undefined,
): [object: string, EvidenceAction[]][] {
  if (description) return buildPlans(description).map((plan) => [plan.name, planActions(plan)]);
  return Object.entries(facts?.objects ?? {}).map(([name, object]) => [
    name,
    EVIDENCE_ACTIONS.filter((action) => FACTS[action](object) !== undefined),
  ]);
}

function planActions({ modes, upsert, since }: ObjectPlan): EvidenceAction[] {
  const reads = modes.includes("read");
  return EVIDENCE_ACTIONS.filter((action) => {
    if (action === "changes") return reads && since?.to !== undefined;
    if (action === "upsert") return upsert !== undefined;
    return modes.includes(action);
  });
}

function buildSourceKey(facts: Facts | undefined, object: string, action: EvidenceAction): string {
  const known = facts && Object.hasOwn(facts.objects, object) ? facts.objects[object] : undefined;
  return (known && FACTS[action](known)?.source.split("#")[0]) ?? UNVERIFIED;
}

const showSource = ({ kind, repository, file, url, version, date }: Facts["sources"][string]) => ({
  kind,
  name: url ?? [repository, file].filter(Boolean).join(", "),
  ...(version !== undefined && { version }),
  date,
});

/** Returns how many actions there are, and how many were verified against the vendor's own word or somebody else's. */
export function countEvidence(evidence: ProviderEvidence[]): {
  actions: number;
  vendor: number;
  others: number;
} {
  const kinds = evidence.flatMap(({ sources, objects }) =>
    Object.values(objects).flatMap((actions) => Object.values(actions).map((key) => sources[key]?.kind)),
  );
  return {
    actions: kinds.length,
    vendor: kinds.filter((kind) => kind?.startsWith("vendor")).length,
    others: kinds.filter((kind) => kind === "third-party").length,
  };
}

/** Returns the text of `connectors/evidence.gen.ts`: one line for each provider. */
export const writeEvidenceModule = (evidence: Record<string, ProviderEvidence>): string =>
  [
    "/** GENERATED by scripts/provider-evidence.ts from the files of facts: what the actions of providers' objects were verified against. */",
    'import type { ProviderEvidence } from "../connector-kit/provider-evidence.ts";',
    "",
    "export const EVIDENCE: Record<string, ProviderEvidence> = {",
    ...Object.entries(evidence).map(([key, one]) => `  ${key}: ${JSON.stringify(one)},`),
    "};",
    "",
  ].join("\n");
