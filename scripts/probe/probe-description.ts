/** Compares what a provider answers with its description, object by object. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { mergeRules } from "../../connector-kit/declarative/object-plan.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { Finding, ObjectProbe } from "./object-probe.ts";
import type { ProbeFetch } from "./probe-fetch.ts";
import { probeChanges, probeList, probePaging, type Listed } from "./probe-list.ts";
import { probeMissing, probeSingle } from "./probe-single.ts";
import { listBelow } from "./probe-parent.ts";
import type { Probed } from "./probed.ts";

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
