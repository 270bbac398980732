/** Who is named as the maker of a thing: a customer by their token, and nobody else in their name. */
import type { Caller } from "../http/endpoint.ts";

/** `consumer:<ref>` for a customer's token; otherwise what the caller says, `builder:<id>` or `api:<operation>`. */
export function createdByOf(caller: Caller, given: string | undefined, operation: string): string {
  if (caller.consumerRef !== undefined) return `consumer:${caller.consumerRef}`;
  if (given) return given;
  return caller.builderId === undefined ? `api:${operation}` : `builder:${caller.builderId}`;
}
