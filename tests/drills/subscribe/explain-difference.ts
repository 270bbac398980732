/** Shows what happened to a record whose copy differs: Busbar's lines about its events, and what the receiver got. */
import type { ChildBusbar } from "../../harness/child-busbar.ts";
import { OBJECTS } from "../read/customer-account.ts";
import type { ChangeMirror } from "./change-mirror.ts";

interface DrilledWorld {
  /** Paths of the installations, in the order of `OBJECTS`. */
  installations: string[];
  mirror: ChangeMirror;
  child: ChildBusbar;
}

/** `difference` begins with the object's path and the record's id. */
export async function explain(
  difference: string,
  { installations, mirror, child }: DrilledWorld,
): Promise<string> {
  const [path = "", id = ""] = difference.split(/[ :]/);
  const installation = installations[OBJECTS.findIndex((drilled) => drilled.path === path)] ?? "";
  const { body } = await child.inProject("GET", `${installation}/subscription-events?recordId=${id}`);
  const events = (body.results ?? []).map((line: object) => JSON.stringify(line));
  const received = mirror.listEntries(path, id).map((shown) => JSON.stringify(shown));
  return [difference, "events, newest first:", ...events, "messages:", ...received].join("\n  ");
}
