/** Faults of how records are written: the places of their values, keys against duplicates, and batches. */
import type { ProviderFault } from "../../provider/check-provider.ts";
import type { ObjectRules } from "../rules/description.ts";
import type { BatchRules, RecordListRules } from "../rules/batch-rules.ts";
import { ANY_FIELD, toFaults, HOLES, findPathFault, findTargetFault } from "./member-faults.ts";
import type { ObjectPlan } from "../object-plan.ts";
import { findOkWhenFault } from "../write/record-result.ts";

/** Faults of how the records of an object are written. */
export function writeFaults(rules: ObjectRules, path: string): ProviderFault[] {
  const { create, update, delete: remove, upsert, written, batch } = rules;
  return [
    ...writeTargets(rules).flatMap(([member, value]) =>
      toFaults(`${path}.${member}`, findTargetFault(value)),
    ),
    ...toFaults(`${path}.create.path`, findPathFault(create?.path, [...HOLES, ANY_FIELD])),
    ...toFaults(`${path}.update.path`, findPathFault(update?.path)),
    ...toFaults(`${path}.delete.path`, findPathFault(remove?.path)),
    ...toFaults(`${path}.create.idempotencyKeyTo`, findKeyFault(create)),
    ...toFaults(`${path}.create.idempotencyKeyMinutes`, findKeyMinutesFault(create)),
    ...toFaults(`${path}.written.okWhen`, findOkWhenFault(written?.okWhen)),
    ...toFaults(`${path}.upsert.keyHash`, findHashFault(upsert)),
    ...toFaults(`${path}.upsert.path`, findPathFault(upsert?.path, [...HOLES, "key", "value"])),
    ...(upsert && (upsert.keys.length === 0 || upsert.idTo !== undefined)
      ? [{ path: `${path}.upsert`, message: "needs `keys`, and has no `idTo`: the key takes its place" }]
      : []),
    ...(batch ? findBatchFaults(batch, `${path}.batch`) : []),
  ];
}

/** Places that values of a write, or of a single record, go to. */
const writeTargets = ({
  create,
  update,
  delete: remove,
  upsert,
  get,
}: ObjectRules): [string, string | undefined][] => [
  ["create.idTo", create?.idTo],
  ["update.idTo", update?.idTo],
  ["delete.idTo", remove?.idTo],
  ["update.readBefore.to", update?.readBefore?.to],
  ["delete.readBefore.to", remove?.readBefore?.to],
  ["get.idTo", get?.idTo],
  ...Object.entries(create?.fieldsTo ?? {}).map(([name, to]): [string, string] => [
    `create.fieldsTo.${name}`,
    to,
  ]),
  ...Object.entries(update?.fieldsTo ?? {}).map(([name, to]): [string, string] => [
    `update.fieldsTo.${name}`,
    to,
  ]),
  ["upsert.keyNameTo", upsert?.keyNameTo],
  ["update.fieldMask.to", update?.fieldMask?.to],
  ["upsert.keyValueTo", upsert?.keyValueTo],
];

function findKeyFault(create: ObjectRules["create"]): string | undefined {
  const { idempotencyKeyTo: to, wrap } = create ?? {};
  if (to === undefined) return undefined;
  if (!/^(header\.[A-Za-z][A-Za-z0-9-]*|query\.[A-Za-z][A-Za-z0-9_-]*|body\.[^.].*)$/.test(to))
    return "must be header.<name>, query.<name> or body.<path>";
  return wrap?.form && to.startsWith("body.")
    ? "must be header.<name>, because the body is a form"
    : undefined;
}

const findHashFault = (upsert: ObjectRules["upsert"]): string | undefined =>
  upsert?.keyHash && !upsert.path.includes("{value}") ? "needs {value} in path, which it changes" : undefined;

function findKeyMinutesFault(create: ObjectRules["create"]): string | undefined {
  const { idempotencyKeyTo: to, idempotencyKeyMinutes: minutes } = create ?? {};
  if (minutes === undefined) return undefined;
  if (to === undefined) return "needs idempotencyKeyTo, which says where the key goes";
  return minutes < 1 ? "must be at least 1" : undefined;
}

const KINDS = ["create", "update", "upsert"] as const;
const OF_OBJECT = ["path", "singular"];

/** Faults of how many records are written by one request. */
function findBatchFaults(batch: BatchRules, path: string): ProviderFault[] {
  const { requests } = batch;
  return [
    ...(requests ? toFaults(`${path}.requests.path`, findPathFault(requests.path, [])) : []),
    ...(requests ? toFaults(`${path}.requests.most`, findLimitFault(requests.most)) : []),
    ...(requests?.to === "" ? toFaults(`${path}.requests.to`, "must name a member") : []),
    ...KINDS.flatMap((kind) => {
      const rules = batch[kind];
      return rules ? listFaults(rules, kind, `${path}.${kind}`) : [];
    }),
  ];
}

const findLimitFault = (most: number): string | undefined =>
  most < 2 || most > 10_000 ? "must be between 2 and 10000" : undefined;

function listFaults(rules: RecordListRules, kind: (typeof KINDS)[number], path: string): ProviderFault[] {
  const { okWhen, ref } = rules;
  return [
    ...toFaults(`${path}.path`, findPathFault(rules.path, OF_OBJECT)),
    ...toFaults(`${path}.most`, findLimitFault(rules.most)),
    ...toFaults(`${path}.okWhen`, findOkWhenFault(okWhen)),
    ...(ref && (ref.to === undefined) === (ref.of === undefined)
      ? toFaults(`${path}.ref`, "must have either to or of")
      : []),
    ...(["furtherAnswers", "refused"] as const).flatMap((member) =>
      rules[member] && !ref
        ? toFaults(`${path}.${member}`, "needs ref, which tells whose results they are")
        : [],
    ),
    ...(rules.furtherAnswers && rules.answers === undefined
      ? toFaults(`${path}.furtherAnswers`, "needs answers")
      : []),
    ...(kind === "create" && rules.answers === undefined
      ? toFaults(path, "needs answers: the ids of the new records are in them")
      : []),
    ...(kind === "update" && rules.idTo === undefined
      ? toFaults(path, "says nowhere where the ids go: needs idTo")
      : []),
  ];
}

/** Faults of batches that show only together with the other rules of the object. */
export function planBatchFaults(
  { batch, create, update, upsert }: ObjectPlan,
  path: string,
): ProviderFault[] {
  if (!batch) return [];
  const isForm = [create, update, upsert].some((rules) => rules?.wrap?.form);
  return [
    ...(batch.requests && isForm
      ? toFaults(`${path}.batch.requests`, "cannot hold forms: the bodies in a batch are JSON")
      : []),
    ...(batch.upsert && upsert?.keyNameTo?.startsWith("body.") && batch.upsert.to === ""
      ? toFaults(`${path}.batch.upsert.to`, "must name a member, because the name of the key goes beside it")
      : []),
    ...(batch.upsert && !upsert
      ? toFaults(`${path}.batch.upsert`, "needs upsert, which names the keys")
      : []),
  ];
}
