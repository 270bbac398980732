/** Compares how a provider answers for one record with the description: a record that exists, and one that does not. */
import { idFaults } from "../../connector-kit/declarative/object-plan.ts";
import { parseBody } from "../../connector-kit/calls/send-request.ts";
import type { ObjectProbe } from "./object-probe.ts";
import { planFor, buildReader, describeShape, type Listed } from "./probe-list.ts";

export async function probeSingle(probe: ObjectProbe, { records: [first] }: Listed): Promise<void> {
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
export async function probeMissing(probe: ObjectProbe, { records: [first] }: Listed): Promise<void> {
  const { plan, fetch, tell, connector, description } = probe;
  if (!plan.get || !first) return;
  const id = other(first.id);
  if (id === first.id || idFaults(description)(id, plan)) return;
  const found = await buildReader(probe)
    .readByIds(planFor(plan.name), [id], fetch.send)
    .catch(() => []);
  const last = fetch.last();
  const refusal = last && connector.classify?.(last);
  if (found.length > 0 || !last || !refusal) return tell("errors", "not seen", "no refusal could be caused");
  if (refusal.kind !== "not_found")
    return tell(
      "errors.statuses",
      "not seen",
      `an unknown id is answered with ${last.status}, which counts as ${refusal.kind}`,
    );
  const isWorded = !refusal.message.endsWith(`answered ${last.status}`);
  const body = parseBody(last.text);
  const text = isWorded
    ? "a refusal has its reason there"
    : body === undefined
      ? "a refusal is not JSON"
      : describeShape(body);
  tell("errors.message", isWorded ? "as described" : "differs", text);
}

/** Changes the digits, so that the form of the id stays. */
const other = (id: string): string =>
  id.replaceAll(/\d/g, (digit) => String(9 - Number(digit))).replace(/^0/, "9");
