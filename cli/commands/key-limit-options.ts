/** Options for the limits of an API key: `--expires 90d --allow 10.0.0.0/8 --rate 50 --burst 200`. */
import { InvalidArgumentError, type Command } from "commander";
import { UsageFailure } from "../failures.ts";
import type { JsonObject } from "../http/json.ts";
import { collect, parseWholeNumber } from "./resource-options.ts";
import { parseFutureTimeOption } from "./time-option.ts";

export interface KeyLimitOptions {
  expires?: string;
  allow?: string[];
  /** False: none. */
  rate?: number | boolean;
  burst?: number;
}

export const addKeyLimits = (command: Command): Command =>
  command
    .option("--expires <time>", "when the key expires: a time, or in how long, such as 90d")
    .option("--allow <address>", "an address or network that may use the key; may be repeated", collect)
    .option("--rate <n>", "most requests per second, in each process of the server", parsePositive)
    .option(
      "--burst <n>",
      "requests at once after a pause (default: those of a second)",
      parseWholeNumber(1, 1_000_000),
    );

/** Returns the members that the options set. */
export function readKeyLimits({ expires, allow, rate, burst }: KeyLimitOptions): JsonObject {
  if (burst !== undefined && typeof rate !== "number") throw new UsageFailure("--burst goes with --rate.");
  return {
    ...(expires !== undefined && { expireTime: parseFutureTimeOption("--expires", expires) }),
    ...(allow && { allowedAddresses: allow }),
    ...(rate === false && { rateLimit: null }),
    ...(typeof rate === "number" && {
      rateLimit: { requestsPerSecond: rate, ...(burst !== undefined && { burst }) },
    }),
  };
}

function parsePositive(value: string): number {
  const number = Number(value);
  if (/^\d+(\.\d+)?$/.test(value) && number > 0) return number;
  throw new InvalidArgumentError("It must be a number above 0.");
}
