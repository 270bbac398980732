// Log of received requests. It is limited by count and by bytes of bodies, so that a benchmark cannot fill the memory.

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { listSpellings } from "../hubspot/paths.ts";

type ArrivedRequest = {
  provider: string;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
};

export type LoggedRequest = {
  id: number;
  provider: string;
  method: string;
  /** Path as received, with the provider's prefix and the query. */
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Set if the body is not text. */
  bodyBase64?: string;
  receivedAt: string;
  /** Undefined until the answer, and for a connection that was reset or left without an answer. */
  status?: number;
  /** Fault that applied to this request. */
  fault?: string;
};

/** Number of calls of an endpoint since the log was cleared, by status; none for connections without an answer. */
export type EndpointCount = {
  provider: string;
  /** Method and path, with `:id` in place of ids and locators. */
  endpoint: string;
  count: number;
  statuses: Record<string, number>;
};

export type RequestFilter = { provider?: string; method?: string; path?: string; limit?: number };

const LOGGED_BODY_BYTES = 256 * 1024;
const MAX_ENDPOINTS = 500;
const LOG_BYTES = 32 * 1024 * 1024;

export class RequestLog {
  readonly #capacity: number;
  readonly #counts = new Map<string, EndpointCount>();
  #entries: LoggedRequest[] = [];
  #first = 0;
  #bytes = 0;
  #nextId = 1;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add({ provider, method, path, headers, body }: ArrivedRequest): LoggedRequest {
    const entry: LoggedRequest = {
      id: this.#nextId++,
      provider,
      method,
      path,
      headers: showHeaders(headers),
      ...showBody(body),
      receivedAt: new Date().toISOString(),
    };
    this.#entries.push(entry);
    this.#bytes += measureSize(entry);
    this.#trim();
    this.#findCount(entry).count++;
    return entry;
  }

  /** Records the status of a request. */
  answered(entry: LoggedRequest, status: number): void {
    entry.status = status;
    const { statuses } = this.#findCount(entry);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }

  counts(provider?: string): EndpointCount[] {
    return [...this.#counts.values()].filter((one) => provider === undefined || one.provider === provider);
  }

  #findCount({ provider, method, path }: LoggedRequest): EndpointCount {
    const full = this.#counts.size >= MAX_ENDPOINTS;
    const exact = `${method} ${nameEndpoint(path, provider)}`;
    const endpoint = full && !this.#counts.has(`${provider} ${exact}`) ? "others" : exact;
    const name = `${provider} ${endpoint}`;
    const known = this.#counts.get(name) ?? { provider, endpoint, count: 0, statuses: {} };
    this.#counts.set(name, known);
    return known;
  }

  list(filter: RequestFilter = {}): LoggedRequest[] {
    const found: LoggedRequest[] = [];
    for (let i = this.#first; i < this.#entries.length; i++) {
      const entry = this.#entries[i];
      if (entry !== undefined && fitsFilter(entry, filter)) found.push(entry);
    }
    return filter.limit === undefined ? found : found.slice(-filter.limit);
  }

  clear(): void {
    this.#entries = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#counts.clear();
  }

  #trim(): void {
    while (this.#entries.length - this.#first > this.#capacity || this.#bytes > LOG_BYTES) {
      const oldest = this.#entries[this.#first];
      if (oldest === undefined) return;
      this.#bytes -= measureSize(oldest);
      this.#first++;
    }
    if (this.#first > this.#capacity) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }
}

const ID = /^(\d+|0r8\w+-\d+|(?=\w*\d)[a-zA-Z0-9]{15}([A-Z0-9]{3})?)$/;

function nameEndpoint(path: string, provider: string): string {
  const [bare = ""] = path.split("?", 1);
  const own = bare.startsWith(`/${provider}/`) ? bare.slice(provider.length + 1) : bare;
  return own
    .split("/")
    .map((segment) => (ID.test(segment) ? ":id" : segment))
    .join("/");
}

function measureSize(entry: LoggedRequest): number {
  return entry.body.length + (entry.bodyBase64?.length ?? 0) + 500;
}

function fitsFilter(entry: LoggedRequest, filter: RequestFilter): boolean {
  if (filter.provider !== undefined && entry.provider !== filter.provider) return false;
  if (filter.method !== undefined && entry.method !== filter.method.toUpperCase()) return false;
  const { path } = filter;
  return path === undefined || listSpellings(entry.path).some((one) => one.includes(path));
}

function showBody(body: Buffer): { body: string; bodyBase64?: string } {
  const kept = body.length > LOGGED_BODY_BYTES ? body.subarray(0, LOGGED_BODY_BYTES) : body;
  if (isUtf8(body)) return { body: kept.toString("utf8") };
  return { body: "", bodyBase64: kept.toString("base64") };
}

function showHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(", ") : value;
    shown[name] = name === "authorization" ? shortenToken(text) : text;
  }
  return shown;
}

/** Shortens a token so that two can be compared, but none can be used. */
function shortenToken(text: string): string {
  const [scheme = "", credential = ""] = text.split(" ");
  return credential.length <= 12
    ? `${scheme} …`
    : `${scheme} ${credential.slice(0, 4)}…${credential.slice(-6)}`;
}
