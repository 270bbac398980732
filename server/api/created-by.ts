/** The `createdBy` of a configuration. A customer's token always names that customer. */
import type { Caller } from "../http/endpoint.ts";

/** Returns `consumer:<ref>` for a customer's token; otherwise the given value, `builder:<id>` or `api:<operation>`. */
export function showCreatedBy(caller: Caller, given: string | undefined, operation: string): string {
  if (caller.consumerRef !== undefined) return `consumer:${caller.consumerRef}`;
  if (given) return given;
  return caller.builderId === undefined ? `api:${operation}` : `builder:${caller.builderId}`;
}

/** Returns who made a change that is kept with its author: `builder:<id>` or `apiKey:<id>`. */
export const showAuthor = ({ builderId, apiKeyId }: Caller): string =>
  builderId === undefined ? `apiKey:${apiKeyId ?? ""}` : `builder:${builderId}`;
