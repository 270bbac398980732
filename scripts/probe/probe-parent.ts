/** Finds a record below which there is a list to probe, for objects whose lists are below the records of another one. */
import { readRecordId, mergeRules } from "../../connector-kit/declarative/object-plan.ts";
import type { Checkpoint, SourceRecord } from "../../connector-kit/read-connector.ts";
import { textAt } from "../../connector-kit/calls/text-at.ts";
import type { ObjectProbe } from "./object-probe.ts";
import { planFor, buildReader } from "./probe-list.ts";

/** Limit of the calls for one object, in an account whose lists are empty. */
const MAX_PAGES = 5;
const MAX_PARENTS = 10;

/** Returns where the list of a parent begins; undefined if no list with records was found, which is reported. */
export async function listBelow(probe: ObjectProbe): Promise<Checkpoint | undefined> {
  const { plan, description, account, fetch, tell } = probe;
  const { parent } = plan;
  if (!parent) return undefined;
  const rules = Object.hasOwn(description.objects, parent.object)
    ? description.objects[parent.object]
    : undefined;
  const above = rules && mergeRules(description, parent.object, rules, account);
  for (const { raw } of await firstRecords(probe, parent.object)) {
    const value = parent.by === undefined ? above && readRecordId(raw, above) : textAt(raw, parent.by);
    if (value === undefined || value === "") {
      tell("parent.by", "differs", `a record of ${parent.object} has nothing there`);
      return undefined;
    }
    const start = { parents: [value] };
    const { records } = await buildReader(probe).readPage(planFor(plan.name), start, fetch.send);
    if (records.length > 0) return start;
  }
  tell("parent", "not seen", `no record of ${parent.object} has a list with records`);
  return undefined;
}

async function firstRecords(probe: ObjectProbe, object: string): Promise<SourceRecord[]> {
  let checkpoint: Checkpoint | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const plan = planFor(object, { pageSize: MAX_PARENTS });
    const { records, next } = await buildReader(probe).readPage(plan, checkpoint, probe.fetch.send);
    if (records.length > 0 || !next) return records.slice(0, MAX_PARENTS);
    checkpoint = next;
  }
  return [];
}
