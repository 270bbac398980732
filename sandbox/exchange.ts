// Request to a simulated provider and its answer, and readers of untyped JSON for both providers.

import type { IncomingHttpHeaders } from "node:http";

export type SandboxExchange = {
  method: string;
  /** Path without the provider's prefix and without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
  params: Record<string, string>;
  /** Bytes of the request line without the provider's prefix, and of the headers; 0 for a request inside another one. */
  lineBytes: number;
  headerBytes: number;
  /** Whether the request used a dated path, whose answers differ in places. */
  dated?: boolean;
};

/** An undefined body sends none; a string is sent unchanged, other values as JSON. */
export type SandboxAnswer = {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Lines that are sent one by one, in place of a body. */
  lines?: Iterable<string>;
};

export type Handler = (exchange: SandboxExchange) => SandboxAnswer;

export type Data = Record<string, unknown>;

/** Thrown by a handler to answer with a provider's error. */
export class Refused extends Error {
  readonly answer: SandboxAnswer;

  constructor(answer: SandboxAnswer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

export function isData(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asData(value: unknown): Data {
  return isData(value) ? value : {};
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a string, number or boolean as text; undefined for other values. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return undefined;
}

/** Reads the fields of a form-encoded or JSON body, for token endpoints and controls. */
export function parseForm(exchange: SandboxExchange): Record<string, string> {
  if (exchange.body.trimStart().startsWith("{")) {
    const parsed = parseJson(exchange.body);
    return Object.fromEntries(
      Object.entries(asData(parsed)).map(([name, value]) => [name, asText(value) ?? ""]),
    );
  }
  return Object.fromEntries(new URLSearchParams(exchange.body));
}

/** Parses a text; returns undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readHeader(exchange: SandboxExchange, name: string): string {
  const value = exchange.headers[name];
  return Array.isArray(value) ? value.join(", ") : (value ?? "");
}

export function readBearer(exchange: SandboxExchange): string | undefined {
  const match = /^(?:Bearer|OAuth)\s+(\S+)$/i.exec(readHeader(exchange, "authorization"));
  return match?.[1];
}
