/** What the checks of one object share, and what they find. */
import type { ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import type { Checkpoint } from "../../connector-kit/read-connector.ts";
import type { ProbeFetch } from "./probe-fetch.ts";
import type { Probed } from "./probed.ts";

export interface Finding {
  /** Place in the description, such as `objects.deals.records` or `defaults.records`. */
  place: string;
  verdict: "as described" | "differs" | "not seen";
  /** Never a value of a record. */
  text: string;
}

export interface ObjectProbe extends Probed {
  plan: ObjectPlan;
  fetch: ProbeFetch;
  /** Where the list begins, if there is one for each record of another object. */
  start?: Checkpoint;
  /** Adds a finding about a member of the object's rules. */
  tell(member: string, verdict: Finding["verdict"], text: string): void;
}
