/** Finds the refusal of a record in an answer that the description does not tell from a success. */
import type { Json } from "../../ground/json.ts";
import type { ProviderError } from "../calls/provider-error.ts";
import { findReason } from "./create-declarative-classify.ts";
import { readRecordId, type ObjectPlan } from "./object-plan.ts";
import { readRefusal } from "./write/record-result.ts";

/** Members that only refusals have: in `message`, many providers say that it went well. */
const OF_REFUSALS = /^_?(err|fault)/i;

/** Returns the refusal in a body that has the provider's words for one, and not the record. */
export function findUntoldRefusal(
  plan: ObjectPlan,
  record: Json | undefined,
  body: Json | undefined,
): ProviderError | undefined {
  const { errors } = plan;
  const isNamed = [record, body].some((value) => readRecordId(value, plan) !== undefined);
  if (body === undefined || plan.graphql || isNamed) return undefined;
  const message = errors.message.filter((path) => OF_REFUSALS.test(path));
  if (findReason(body, message, errors.field) === undefined) return undefined;
  return readRefusal({ message, ...(errors.code !== undefined && { code: errors.code }) }, errors, body);
}
