/** Faults of lists below the records of another object. */
import type { ProviderFault } from "../../provider/check-provider.ts";
import type { Description } from "../rules/description.ts";
import { fault } from "./member-faults.ts";
import { merged, type ObjectPlan } from "../object-plan.ts";

/** Lists below lists below lists. */
const DEEPEST = 3;

export function childrenFaults(description: Description, plan: ObjectPlan, path: string): ProviderFault[] {
  const { parent, list, total } = plan;
  const isNamed = JSON.stringify(list ?? {}).includes("{parent}");
  if (!parent) return isNamed ? fault(`${path}.list`, "has {parent}, but there is no parent") : [];
  return [
    ...fault(`${path}.parent.object`, parentFault(description, plan)),
    ...(isNamed ? [] : fault(`${path}.list`, "has no {parent}, which parent fills")),
    ...(total === undefined ? [] : fault(`${path}.total`, "is that of one list, and there are many")),
  ];
}

function parentFault(description: Description, plan: ObjectPlan): string | undefined {
  let name = plan.parent?.object;
  for (let depth = 0; name !== undefined; depth += 1) {
    const rules = Object.hasOwn(description.objects, name) ? description.objects[name] : undefined;
    if (!rules) return `names no object: ${JSON.stringify(name)}`;
    const above = merged(description, name, rules);
    if (!above.modes.includes("read")) return `names ${name}, which cannot be read`;
    if (depth === DEEPEST) return `leads to more than ${DEEPEST} objects, one below the other`;
    name = above.parent?.object;
  }
  return undefined;
}
