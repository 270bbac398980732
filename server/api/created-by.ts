/** Who is named as the maker of a thing: a customer by their token, and nobody else in their name. */
import type { Caller } from "../http/endpoint.ts";

/** `consumer:<ref>` for a customer's token; otherwise what the caller says, or `api:<operation>`. */
export const createdByOf = (caller: Caller, given: string | undefined, operation: string): string =>
  caller.consumerRef === undefined ? given || `api:${operation}` : `consumer:${caller.consumerRef}`;
