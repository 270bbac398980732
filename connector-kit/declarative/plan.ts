/** The rules of one object, complete: what requests and answers are made and read by. */
import type { Description, ObjectRules } from "./rules/description.ts";
import type { GraphqlEndpointRules } from "./rules/graphql-rules.ts";

export type Mode = "read" | "create" | "update" | "delete" | "upsert";

export interface ObjectPlan extends Omit<ObjectRules, "modes"> {
  name: string;
  modes: Mode[];
  idPath: string;
  /** Values of the connection by name, for `{connection.<name>}`. */
  connection?: Record<string, string>;
  /** The records are members of an object: where a member's name goes, and where its value if that is no object. */
  keyed?: { name: string; type: string };
  /** The record whose list is read, for `{parent}`. */
  parentValue?: string;
  /** `path=value` of every success. */
  okWhen?: string;
  /** How the provider words refusals. */
  errors: Description["errors"];
  /** GraphQL only. */
  endpoint?: GraphqlEndpointRules;
  /** Path of the record in the answer of a write, where it is not `record`. */
  recordAt?: Partial<Record<Mode, string>>;
}
