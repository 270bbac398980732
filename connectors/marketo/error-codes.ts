/** Marketo's error codes of requests and of records, as far as their kind is not that of a wrong request. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

export const errorCodes: NonNullable<Description["errors"]["codes"]> = {
  601: "unauthorized",
  602: "unauthorized",
  603: "forbidden",
  // A timeout, a maintenance, a system error, an error that passes.
  604: "unavailable",
  608: "unavailable",
  611: "unavailable",
  713: "unavailable",
  // Calls in 20 seconds, in a day, at the same time.
  606: "rate_limited",
  607: "rate_limited",
  615: "rate_limited",
  610: "not_found",
  702: "not_found",
  1004: "not_found",
  1013: "not_found",
  1005: "conflict",
  1007: "conflict",
};
