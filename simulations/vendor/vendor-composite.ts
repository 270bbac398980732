/** Answers a request that contains several requests, each with an answer of its own. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { getValueAt } from "../../connector-kit/calls/get-text-at.ts";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import type { VendorAnswer } from "./vendor-answer.ts";
import { setAtPath } from "./vendor-records.ts";
import type { RawRequest, VendorRequest } from "./vendor-request.ts";

const REFERENCE = /@\{(\w+)\.(\w+)\}/g;

/** Answers the contained requests in order. A sentence tells why the whole is refused. */
export function answerComposite(
  composite: NonNullable<Facts["composite"]>,
  { body }: VendorRequest,
  carryOut: (request: RawRequest) => VendorAnswer,
): VendorAnswer | string {
  const requests = isJsonObject(body) ? body[composite.requests] : undefined;
  if (!isJsonObject(body) || !Array.isArray(requests)) return `body.${composite.requests}: a list is missing`;
  const stray = Object.keys(body).find(
    (name) => name !== composite.requests && !composite.beside.includes(name),
  );
  if (stray !== undefined) return `body.${stray}: no such member`;
  if (requests.length > composite.most) return `more than ${composite.most} requests`;
  const byName = new Map<string, VendorAnswer>();
  const answers: JsonObject[] = [];
  for (const request of requests) {
    const given: JsonObject = isJsonObject(request) ? request : {};
    const strange = Object.keys(given).find((name) => !composite.members.includes(name));
    if (strange !== undefined) return `a request has no member ${strange}`;
    const { method, url, referenceId, httpHeaders, body: content } = given;
    if (typeof method !== "string" || typeof url !== "string" || typeof referenceId !== "string")
      return "a request needs method, url and referenceId";
    const target = resolveReferences(url, byName);
    const answer =
      target === undefined
        ? { status: 400, headers: {}, body: composite.halted as Json }
        : carryOut({ method, target, headers: lowerHeaders(httpHeaders), body: formatBody(method, content) });
    byName.set(referenceId, answer);
    answers.push({ body: answer.body ?? null, httpHeaders: {}, httpStatusCode: answer.status, referenceId });
  }
  const whole: JsonObject = {};
  setAtPath(whole, composite.answers, answers);
  return { status: 200, headers: {}, body: whole };
}

/** Replaces references in the address by values of earlier answers; undefined if one of these failed. */
function resolveReferences(url: string, byName: Map<string, VendorAnswer>): string | undefined {
  let isHalted = false;
  const target = url.replaceAll(REFERENCE, (_, name: string, path: string) => {
    const answer = byName.get(name);
    const value =
      answer?.body === undefined || answer.status >= 300 ? undefined : getValueAt(answer.body, path);
    if (value === undefined) isHalted = true;
    return String(value);
  });
  return isHalted ? undefined : target;
}

const formatBody = (method: string, content: Json | undefined): string =>
  method === "GET" || content === undefined ? "" : JSON.stringify(content);

const lowerHeaders = (headers: Json | undefined): Record<string, string> => ({
  "content-type": "application/json",
  ...Object.fromEntries(
    Object.entries(isJsonObject(headers) ? headers : {}).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]),
  ),
});
