// Simulated fault: which requests it affects, how often, and what it does.

import { ALTERATIONS, type Alteration } from "./alterations.ts";
import { asText, isData, type Data } from "../exchange.ts";

export type SandboxFault = {
  provider?: "hubspot" | "salesforce";
  method?: string;
  /** Part of the path with query, or a regular expression that matches it. */
  path?: string;
  /** Part of the request body. */
  bodyContains?: string;
  /** Name of a prepared provider error, see fault-presets.ts; sets provider, status, body and headers. */
  preset?: string;
  status?: number;
  /** A string is sent unchanged, other values as JSON. */
  body?: unknown;
  bodyBase64?: string;
  headers?: Record<string, string>;
  /** Ends early when all faults are cleared. */
  delayMs?: number;
  /** "before" destroys the socket without processing the request; "after" processes it first. */
  reset?: "before" | "after";
  /** Processes the request and replaces its own answer; needs `status`. */
  stored?: boolean;
  /** The request is processed, and the page in its answer is altered. */
  alter?: Alteration;
  /** Field that `alter: "field_gone"` removes. */
  field?: string;
  /** Size that `alter: "huge"` adds; default 100 MB. */
  bytes?: number;
  /** Leaves the request without an answer, so that the client times out. */
  hang?: boolean;
  /** Number of requests that it affects; default 1. */
  count?: number;
  /** Number of matching requests that pass before it; default 0. */
  skip?: number;
};

/** Reads a fault from untyped JSON. Throws a RangeError that names the wrong member. */
export function readFault(input: unknown): SandboxFault {
  if (!isData(input)) throw new RangeError("a fault is a JSON object");
  const fault: SandboxFault = {};
  const { provider, reset, headers } = input;
  if (provider === "hubspot" || provider === "salesforce") fault.provider = provider;
  else if (provider !== undefined) throw new RangeError('provider must be "hubspot" or "salesforce"');
  if (reset === "before" || reset === "after") fault.reset = reset;
  else if (reset !== undefined) throw new RangeError('reset must be "before" or "after"');
  const alter = ALTERATIONS.find((one) => one === input["alter"]);
  if (alter !== undefined) fault.alter = alter;
  else if (input["alter"] !== undefined)
    throw new RangeError(`alter must be one of: ${ALTERATIONS.join(", ")}`);
  for (const name of ["method", "path", "bodyContains", "preset", "bodyBase64", "field"] as const) {
    const value = input[name];
    if (typeof value === "string") fault[name] = value;
    else if (value !== undefined) throw new RangeError(`${name} must be a string`);
  }
  for (const name of ["status", "delayMs", "count", "skip", "bytes"] as const) {
    const value = input[name];
    if (typeof value === "number") fault[name] = value;
    else if (value !== undefined) throw new RangeError(`${name} must be a number`);
  }
  for (const name of ["stored", "hang"] as const) {
    const value = input[name];
    if (typeof value === "boolean") fault[name] = value;
    else if (value !== undefined) throw new RangeError(`${name} must be true or false`);
  }
  if (headers !== undefined) fault.headers = readHeaders(headers);
  if (input["body"] !== undefined) fault.body = input["body"];
  return fault;
}

function readHeaders(input: unknown): Record<string, string> {
  if (!isData(input)) throw new RangeError("headers must be an object");
  const entries = Object.entries(input satisfies Data).map(([name, value]) => [name, asText(value) ?? ""]);
  return Object.fromEntries(entries);
}
