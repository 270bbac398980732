/** Compares what a provider answers with its description, object by object. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { findIdFaults, mergeRules, readRecordId } from "../../connector-kit/declarative/object-plan.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { Finding, ObjectProbe } from "./object-probe.ts";
import type { ProbeFetch } from "./probe-fetch.ts";
import {
  buildReader,
  describeShape,
  type Listed,
  planFor,
  probeChanges,
  probeList,
  probePaging,
} from "./probe-list.ts";
import type { Probed } from "./probed.ts";
import type { Checkpoint, SourceRecord } from "../../connector-kit/read-connector.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { parseBody } from "../../connector-kit/calls/send-request.ts";

/** Throws where no call works: no answer, or credentials that the provider refuses. */
export async function probeDescription(
  probed: Probed,
  fetch: ProbeFetch,
  objects: string[] = Object.keys(probed.description.objects),
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of objects) {
    const rules = Object.hasOwn(probed.description.objects, name)
      ? probed.description.objects[name]
      : undefined;
    if (!rules) throw new Error(`The description has no object ${JSON.stringify(name)}.`);
    const plan = mergeRules(probed.description, name, rules, probed.account);
    const tell: ObjectProbe["tell"] = (member, verdict, text) =>
      findings.push({ place: getPlace(probed.description, name, member), verdict, text });
    if (!plan.modes.includes("read")) tell("modes", "not seen", "it cannot be read");
    else await probeObject({ ...probed, plan, fetch, tell });
  }
  return [...findings, ...limitFindings(probed, fetch)];
}

async function probeObject(asked: ObjectProbe): Promise<void> {
  const start = await tryStep(asked, "parent", () => listBelow(asked));
  if (asked.plan.parent && !start) return;
  const probe = start ? { ...asked, start } : asked;
  const listed: Listed | undefined = await tryStep(probe, "list.path", () => probeList(probe));
  if (!listed) return;
  await tryStep(probe, "paging", () => probePaging(probe, listed));
  await tryStep(probe, "since", () => probeChanges(probe, listed));
  await tryStep(probe, "get", () => probeSingle(probe, listed));
  await tryStep(probe, "errors", () => probeMissing(probe, listed));
}

/** A refusal of one step is a finding; what concerns every call ends the probe. */
async function tryStep<T>(
  probe: ObjectProbe,
  member: string,
  step: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.kind === "unauthorized" || error.kind === "rate_limited")
      throw new Error(`${probe.info.name} refuses the calls (${error.kind}): ${error.message}`, {
        cause: error,
      });
    const verdict = error.kind === "forbidden" ? "not seen" : "differs";
    probe.tell(member, verdict, `${error.kind}: ${error.message}`);
    return undefined;
  }
}

/** A rule that the object does not have itself comes from the defaults. */
function getPlace({ objects }: Description, object: string, member: string): string {
  const [first = ""] = member.split(".");
  if (["ids", "errors"].includes(first)) return `${member} (${object})`;
  return Object.hasOwn(objects[object] ?? {}, first)
    ? `objects.${object}.${member}`
    : `defaults.${member} (${object})`;
}

function limitFindings({ description }: Probed, fetch: ProbeFetch): Finding[] {
  const seen = Object.keys(fetch.last()?.headers ?? {}).filter((name) => /rate-?limit/i.test(name));
  const described = description.limits?.reset;
  if (described === undefined && seen.length === 0) return [];
  const isSeen = described !== undefined && seen.includes(described.toLowerCase());
  const text = isSeen
    ? "the answers have this header"
    : seen.length === 0
      ? "no answer had a header about limits"
      : `the answers have the headers ${seen.join(", ")}`;
  return [{ place: "limits.reset", verdict: isSeen ? "as described" : "not seen", text }];
}

/** Limit of the calls for one object, in an account whose lists are empty. */
const MAX_PAGES = 5;
const MAX_PARENTS = 10;

/** Returns where the list of a parent begins; undefined if no list with records was found, which is reported. */
async function listBelow(probe: ObjectProbe): Promise<Checkpoint | undefined> {
  const { plan, description, account, fetch, tell } = probe;
  const { parent } = plan;
  if (!parent) return undefined;
  const rules = Object.hasOwn(description.objects, parent.object)
    ? description.objects[parent.object]
    : undefined;
  const above = rules && mergeRules(description, parent.object, rules, account);
  for (const { raw } of await readFirstRecords(probe, parent.object)) {
    const value = parent.by === undefined ? above && readRecordId(raw, above) : getTextAt(raw, parent.by);
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

async function readFirstRecords(probe: ObjectProbe, object: string): Promise<SourceRecord[]> {
  let checkpoint: Checkpoint | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const plan = planFor(object, { pageSize: MAX_PARENTS });
    const { records, next } = await buildReader(probe).readPage(plan, checkpoint, probe.fetch.send);
    if (records.length > 0 || !next) return records.slice(0, MAX_PARENTS);
    checkpoint = next;
  }
  return [];
}

async function probeSingle(probe: ObjectProbe, { records: [first] }: Listed): Promise<void> {
  const { plan, fetch, tell } = probe;
  if (!plan.get || !first) return;
  const [found] = await buildReader(probe).readByIds(planFor(plan.name), [first.id], fetch.send);
  if (found) {
    const isSame = found.id === first.id;
    return tell(
      "get",
      isSame ? "as described" : "differs",
      isSame ? "a listed record is found by its id" : "another record came",
    );
  }
  const last = fetch.last();
  const text =
    last?.status === 200
      ? `there is no record at ${JSON.stringify(plan.get.record ?? "")}: ${describeShape(parseBody(last.text))}`
      : `a listed record is answered with ${last?.status}`;
  tell(last?.status === 200 ? "get.record" : "get.path", "differs", text);
}

/** Asks for an id that probably does not exist: how a refusal is worded. */
async function probeMissing(probe: ObjectProbe, { records: [first] }: Listed): Promise<void> {
  const { plan, fetch, tell, connector, description } = probe;
  if (!plan.get || !first) return;
  const id = changeDigits(first.id);
  if (id === first.id || findIdFaults(description)(id, plan)) return;
  const found = await buildReader(probe)
    .readByIds(planFor(plan.name), [id], fetch.send)
    .catch(() => []);
  const last = fetch.last();
  const refusal = last && connector.classify?.(last);
  if (found.length > 0 || !last || !refusal) return tell("errors", "not seen", "no refusal could be caused");
  // In another form than the described one, it counts as the answer of something in between.
  const isOther = refusal.kind === "unavailable" && last.status >= 400 && last.status < 500;
  if (refusal.kind !== "not_found" && !isOther)
    return tell(
      "errors.statuses",
      "not seen",
      `an unknown id is answered with ${last.status}, which counts as ${refusal.kind}`,
    );
  const isWorded = !refusal.message.includes(` answered ${last.status}`);
  const body = parseBody(last.text);
  const text = isWorded
    ? "a refusal has its reason there"
    : body === undefined
      ? "a refusal is not JSON"
      : describeShape(body);
  tell("errors.message", isWorded ? "as described" : "differs", text);
}

/** Changes the digits, so that the form of the id stays. */
const changeDigits = (id: string): string =>
  id.replaceAll(/\d/g, (digit) => String(9 - Number(digit))).replace(/^0/, "9");
