/** Faults of the part of a description that tells how batches are written. */
import type { ProviderFault } from "../../provider/check-provider.ts";
import type { BatchRules, RecordListRules } from "../rules/batch-rules.ts";
import { fault, pathFault } from "./member-faults.ts";
import type { ObjectPlan } from "../object-plan.ts";
import { okWhenFault } from "../write/record-result.ts";

const KINDS = ["create", "update", "upsert"] as const;
const OF_OBJECT = ["path", "singular"];

export function batchFaults(batch: BatchRules, path: string): ProviderFault[] {
  const { requests } = batch;
  return [
    ...(requests ? fault(`${path}.requests.path`, pathFault(requests.path, [])) : []),
    ...(requests ? fault(`${path}.requests.most`, limitFault(requests.most)) : []),
    ...(requests?.to === "" ? fault(`${path}.requests.to`, "must name a member") : []),
    ...KINDS.flatMap((kind) => {
      const rules = batch[kind];
      return rules ? listFaults(rules, kind, `${path}.${kind}`) : [];
    }),
  ];
}

const limitFault = (most: number): string | undefined =>
  most < 2 || most > 10_000 ? "must be between 2 and 10000" : undefined;

function listFaults(rules: RecordListRules, kind: (typeof KINDS)[number], path: string): ProviderFault[] {
  const { okWhen, ref } = rules;
  return [
    ...fault(`${path}.path`, pathFault(rules.path, OF_OBJECT)),
    ...fault(`${path}.most`, limitFault(rules.most)),
    ...fault(`${path}.okWhen`, okWhenFault(okWhen)),
    ...(ref && (ref.to === undefined) === (ref.of === undefined)
      ? fault(`${path}.ref`, "must have either to or of")
      : []),
    ...(["furtherAnswers", "refused"] as const).flatMap((member) =>
      rules[member] && !ref
        ? fault(`${path}.${member}`, "needs ref, which tells whose results they are")
        : [],
    ),
    ...(rules.furtherAnswers && rules.answers === undefined
      ? fault(`${path}.furtherAnswers`, "needs answers")
      : []),
    ...(kind === "create" && rules.answers === undefined
      ? fault(path, "needs answers: the ids of the new records are in them")
      : []),
    ...(kind === "update" && rules.idTo === undefined
      ? fault(path, "says nowhere where the ids go: needs idTo")
      : []),
  ];
}

/** Faults that show only together with the other rules of the object. */
export function planBatchFaults(
  { batch, create, update, upsert }: ObjectPlan,
  path: string,
): ProviderFault[] {
  if (!batch) return [];
  const isForm = [create, update, upsert].some((rules) => rules?.wrap?.form);
  return [
    ...(batch.requests && isForm
      ? fault(`${path}.batch.requests`, "cannot hold forms: the bodies in a batch are JSON")
      : []),
    ...(batch.upsert && upsert?.keyNameTo?.startsWith("body.") && batch.upsert.to === ""
      ? fault(`${path}.batch.upsert.to`, "must name a member, because the name of the key goes beside it")
      : []),
    ...(batch.upsert && !upsert ? fault(`${path}.batch.upsert`, "needs upsert, which names the keys") : []),
  ];
}
