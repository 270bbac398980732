/** A vendor whose lists a test writes by hand, and a scan over them as the server does it. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import { ProviderError } from "../calls/provider-error.ts";
import type { ProviderFetch } from "../calls/provider-fetch.ts";
import type { Checkpoint, ReadPlan } from "../read-connector.ts";
import { describeConnector } from "./describe-connector.ts";
import type { Description, ObjectRules } from "./rules/description.ts";

export interface Answer {
  status?: number;
  body: unknown;
  headers?: Record<string, string>;
}

export const PLAN: ReadPlan = { objectName: "people", fields: [], filters: [], associations: [] };

/** Longer answers are refused, as the server refuses them from 16 MiB. */
export const MAX_LENGTH = 1024 * 1024;

/** A vendor that answers each request by its query, and a reader with these rules. */
export async function open(
  t: TestContext,
  rules: ObjectRules,
  answer: (query: URLSearchParams, path: string) => Answer,
  errors: Description["errors"] = { message: ["error"] },
) {
  const requests: string[] = [];
  const warnings: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://vendor.example");
    requests.push(`${url.pathname}${url.search}`);
    const { status = 200, body, headers } = answer(url.searchParams, url.pathname);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch: ProviderFetch = async ({ method, path, headers, body }) => {
    const response = await globalThis.fetch(origin + path, {
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (text.length > MAX_LENGTH)
      throw new ProviderError({ kind: "unreadable", message: "the answer is too large" });
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  };
  const { read } = describeConnector("Quill", {
    defaults: { list: { path: "/people" }, records: "data", ...rules },
    objects: { people: { modes: ["read"] } },
    errors,
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-26, tests" },
  });
  assert.ok(read);
  const scan = async (plan: ReadPlan = PLAN): Promise<string[]> => {
    const ids: string[] = [];
    let checkpoint: Checkpoint | undefined;
    do {
      // A checkpoint is stored between two pages.
      const stored: Checkpoint | undefined = checkpoint && JSON.parse(JSON.stringify(checkpoint));
      const page = await read.readPage(plan, stored, fetch);
      ids.push(...page.records.map(({ id }) => id));
      if (page.warning !== undefined) warnings.push(page.warning);
      checkpoint = page.next;
      assert.ok(requests.length < 1_000, "the scan ends");
    } while (checkpoint);
    return ids;
  };
  return { scan, requests, warnings, read, fetch };
}

export const people = (from: number, to: number): JsonObject[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => ({ id: String(from + index) }));
export const upTo = (last: number): string[] => people(1, last).map(({ id }) => String(id));
export const numberIn = (query: URLSearchParams, name: string, other = 0): number =>
  Number(query.get(name) ?? other);

/** Builds three pages of two. A cursor is refused after each request that `diesAt` counts, as Square and monday refuse theirs after minutes. */
export const buildDyingCursors = (refusal: Answer, diesAt: number[]) => {
  let requests = 0;
  let life = 0;
  return (query: URLSearchParams): Answer => {
    requests += 1;
    if (diesAt.includes(requests)) life += 1;
    const [page = "1", born = `${life}`] = query.get("cursor")?.split("-") ?? [];
    if (born !== `${life}`) return refusal;
    const number = Number(page);
    const next = number < 3 ? `${number + 1}-${life}` : null;
    return { body: { data: people(number * 2 - 1, number * 2), next } };
  };
};
