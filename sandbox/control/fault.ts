// A fault to simulate: which requests it affects, how often, and what it does.

import { ALTERATIONS, type Alteration } from "./alterations.ts";
import { asText, isData, type Data } from "../exchange.ts";

export type SandboxFault = {
  provider?: "hubspot" | "salesforce";
  method?: string;
  /** A part of the path with query, or a regular expression that matches it. */
  path?: string;
  /** A part of the request body. */
  bodyContains?: string;
  /** A ready-made provider error, see fault-presets.ts; fills in provider, status, body and headers. */
  preset?: string;
  status?: number;
  /** A string is sent as it is, anything else as JSON. */
  body?: unknown;
  bodyBase64?: string;
  headers?: Record<string, string>;
  delayMs?: number;
  /** "before": nothing is done; "after": the request is carried out, then the socket is destroyed. */
  reset?: "before" | "after";
  /** With `status`: the request is carried out and its own answer is replaced. */
  stored?: boolean;
  /** The request is carried out and the page it answers is changed. */
  alter?: Alteration;
  /** The field that `alter: "field_gone"` takes away. */
  field?: string;
  /** How much `alter: "huge"` adds; default 100 MB. */
  bytes?: number;
  /** Never answers, so that the client times out. */
  hang?: boolean;
  /** How many requests it hits; default 1. */
  count?: number;
  /** How many matching requests pass first; default 0. */
  skip?: number;
};

/** Reads a fault from untyped JSON. Throws a RangeError that names the faulty member. */
export function faultFrom(input: unknown): SandboxFault {
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
  if (headers !== undefined) fault.headers = headersFrom(headers);
  if (input["body"] !== undefined) fault.body = input["body"];
  return fault;
}

function headersFrom(input: unknown): Record<string, string> {
  if (!isData(input)) throw new RangeError("headers must be an object");
  const entries = Object.entries(input satisfies Data).map(([name, value]) => [name, asText(value) ?? ""]);
  return Object.fromEntries(entries);
}
