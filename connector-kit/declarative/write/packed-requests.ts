/** Packs the requests of single records into one request, and takes their answers out of its answer. */
import { Buffer } from "node:buffer";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { ProviderRequest, ProviderResponse } from "../../calls/provider-fetch.ts";
import { getTextAt } from "../../calls/get-text-at.ts";
import type { PackedRules } from "../rules/batch-rules.ts";
import { getMember } from "../object-plan.ts";
import { nestValue } from "../request-parts.ts";

/** Returns the request for all; answers are found by the position of the request, from 1. */
export const packRequests = (rules: PackedRules, requests: ProviderRequest[]): ProviderRequest => ({
  method: "POST",
  path: rules.path,
  body: nestValue(
    rules.to,
    requests.map((request, index) => packRequest(rules, request, String(index + 1))),
    { ...rules.also },
  ),
  repeatable: requests.every(({ repeatable }) => repeatable),
});

function packRequest(rules: PackedRules, request: ProviderRequest, id: string): JsonObject {
  const { below = "", base64 } = rules;
  const { method, path, body } = request;
  const headers = { "content-type": "application/json", ...rules.headers, ...request.headers };
  return {
    id,
    method,
    url: path.startsWith(`${below}/`) ? path.slice(below.length) : path,
    headers: base64 ? Object.entries(headers).map(([name, value]) => ({ name, value })) : headers,
    ...(body !== undefined && {
      body: base64 ? Buffer.from(JSON.stringify(body)).toString("base64") : body,
    }),
  };
}

/** Answers, keyed by the request's position in the batch. */
export interface PackedAnswers {
  /** Without the answers that are missing or malformed. */
  answered: Map<number, ProviderResponse>;
  /** Requests that the provider did not carry out. */
  unserved: Set<number>;
}

export function readAnswers(rules: PackedRules, body: Json | undefined): PackedAnswers {
  const answered = new Map<number, ProviderResponse>();
  for (const answer of listAt(body, rules.answers)) {
    const response = unpackAnswer(rules, answer);
    const position = Number(getTextAt(answer, "id") ?? Number.NaN) - 1;
    if (response) answered.set(position, response);
  }
  const unserved = listAt(body, rules.unserved).map((id) => Number(id) - 1);
  return { answered, unserved: new Set(unserved) };
}

function listAt(body: Json | undefined, path: string | undefined): Json[] {
  const list = path === undefined ? undefined : getMember(body, path);
  return Array.isArray(list) ? list : [];
}

function unpackAnswer({ status: member, base64 }: PackedRules, answer: Json): ProviderResponse | undefined {
  const status = Number(getTextAt(answer, member) ?? Number.NaN);
  if (!isJsonObject(answer) || !Number.isInteger(status)) return undefined;
  const { body } = answer;
  if (base64) {
    const text = typeof body === "string" ? Buffer.from(body, "base64").toString() : "";
    return { status, headers: {}, text };
  }
  return { status, headers: readHeaders(answer), text: body === undefined ? "" : JSON.stringify(body) };
}

const readHeaders = ({ headers }: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isJsonObject(headers) ? headers : {}).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]),
  );
