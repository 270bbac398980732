/** Classifies a provider's answers by the description's rules for errors and limits. */
import { nowMs } from "../../ground/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { retryAfter, retryTime as usualTime } from "../../ground/retry-after.ts";
import { shorten } from "../../ground/storable-text.ts";
import type { ProviderResponse } from "../calls/provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "../calls/provider-error.ts";
import {
  describeUnexplained,
  isMarkedAsOthers,
  isOfApplication,
  judgeRefusal,
} from "../calls/judge-refusal.ts";
import { addToNow, parseBody } from "../calls/send-request.ts";
import { getTextAt, getValueAt } from "../calls/get-text-at.ts";
import type { Description } from "./rules/description.ts";

const RATE_LIMITED_MS = 10_000;

/** Servers of GraphQL give this code to errors that they did not expect, with status 200. */
export const UNEXPECTED = "INTERNAL_SERVER_ERROR";

const UNDESCRIBED = "; if it is the provider's own answer, `errors` of its description lack this form";

/** Returns the classification of a connector: undefined for a success. */
export const createDeclarativeClassify = (provider: string, description: Description) => {
  const { errors, limits, graphql } = description;
  const places = listOwnPlaces(description);
  return (response: ProviderResponse): ProviderError | undefined => {
    const { status } = response;
    const body = parseBody(response.text);
    const isGood = status >= 200 && status < 300;
    const isRefused =
      isRefusal(body, errors.okWhen) ||
      isListed(body, errors) ||
      (graphql !== undefined && isGraphqlRefusal(body));
    const isOthers = isMarkedAsOthers(response, isGood ? undefined : body);
    if (isGood && isOthers) return buildOthers(provider, response);
    if (isGood && !isRefused) return undefined;
    const text = body === undefined ? response.text.trim() : "";
    const words = (errors.plainText && isPlain(response)) || isKnown(text, errors) ? text : undefined;
    const reason = findReason(body, errors.message, errors.field) ?? words;
    const code = readCode(body, errors);
    const told =
      (code !== undefined && Object.hasOwn(errors.codes ?? {}, code) ? errors.codes?.[code] : undefined) ??
      findKindByText(reason, errors.texts) ??
      errors.statuses?.[String(status)] ??
      (graphql !== undefined && code === UNEXPECTED ? "unavailable" : undefined);
    const isOwn = !isOthers && (words !== undefined || isOwnForm(response, body, places, errors.marks));
    const kind = told ?? (isGood ? "invalid" : judgeRefusal(response, classifyKind(status), isOwn));
    const isPassing = told === undefined && !isOwn && status < 500 && kind === "unavailable";
    return new ProviderError({
      kind,
      message:
        (isPassing ? undefined : reason) ??
        describeUnexplained(provider, response, kind) +
          (isPassing && !isOthers && body !== undefined ? UNDESCRIBED : ""),
      ...(code !== undefined && { code }),
      status,
      ...(kind === "rate_limited" && { retryAt: retryTime(response, limits) }),
      rawResponse: shorten(response.text),
    });
  };
};

const MAX_WORDS = 500;

/** Pages of servers in between are HTML. */
const isPlain = ({ headers, text }: ProviderResponse): boolean =>
  /^text\/plain\b/i.test(headers["content-type"] ?? "") && areWords(text.trim());

const areWords = (text: string): boolean => text !== "" && text.length <= MAX_WORDS && !text.startsWith("<");

/** Words that the description knows are the provider's own, whatever type they are said to have. */
const isKnown = (text: string, { texts }: Description["errors"]): boolean =>
  areWords(text) && findKindByText(text, texts) !== undefined;

/** A challenge of something in between can have the status of a success (AWS WAF: 202): the request has not come to the provider. */
const buildOthers = (provider: string, response: ProviderResponse): ProviderError =>
  new ProviderError({
    kind: "unavailable",
    message: describeUnexplained(provider, response, "unavailable"),
    status: response.status,
    rawResponse: shorten(response.text),
  });

/** Paths of reasons and codes, and of the results that a refused batch has in their place. */
function listOwnPlaces({ errors, ...description }: Description): string[] {
  const { message, code, furtherCode, refusedBy, okWhen } = errors;
  const { objects, others, defaults } = description;
  const all = [defaults, ...Object.values(objects), ...(others ? [others.rules] : [])];
  const results = all.flatMap(({ records, batch = {} }) => [
    records,
    ...[batch.create, batch.update, batch.upsert].map((rules) => rules?.answers),
  ]);
  const paths = [...message, code, furtherCode, refusedBy, okWhen?.split("=")[0], ...results];
  return paths.flatMap((path) => (path === undefined || path === "" ? [] : [path]));
}

/** Returns whether a body has one of the provider's members, whatever they say, and one of its marks. */
function isOwnForm(
  { status }: ProviderResponse,
  body: Json | undefined,
  places: string[],
  marks: string[] | undefined,
): boolean {
  if (body === undefined || !isFilledJson(body)) return false;
  if (isOfApplication(status)) return true;
  const isThere = (path: string) => hasMember(body, path.split("."));
  return places.some(isThere) && (!marks || marks.some(isThere));
}

const isFilledJson = (body: Json): boolean =>
  body !== null && (typeof body !== "object" || Object.keys(body).length > 0);

/** Returns whether there is anything at the path but null. */
function hasMember(value: Json, [first, ...rest]: string[]): boolean {
  if (first === undefined) return value !== null;
  if (first === "*")
    return (
      typeof value === "object" &&
      value !== null &&
      Object.values(value).some((item) => hasMember(item, rest))
    );
  if (Array.isArray(value)) return hasMember(value[Number(first)] ?? null, rest);
  return (
    isJsonObject(value) &&
    first.split("|").some((name) => Object.hasOwn(value, name) && hasMember(value[name] ?? null, rest))
  );
}

/** An answer without the member is a success: not every endpoint has it. */
function isRefusal(body: Json | undefined, okWhen: string | undefined): boolean {
  if (body === undefined || okWhen === undefined) return false;
  const [path = "", wanted] = okWhen.split("=");
  const value = getTextAt(body, path);
  return value !== undefined && value !== wanted;
}

const isListed = (body: Json | undefined, { refusedBy, message }: Description["errors"]): boolean =>
  body !== undefined &&
  refusedBy !== undefined &&
  hasReasons(getValueAt(body, refusedBy)) &&
  findReason(body, message) !== undefined;

/** Errors come with status 200, also beside data; those of a mutation's input are in its payload. `judgeMutation` looks closer. */
function isGraphqlRefusal(body: Json | undefined): boolean {
  if (body === undefined || !isJsonObject(body) || !Object.keys(body).every((name) => PARTS.has(name)))
    return false;
  const { errors, data } = body;
  const payloads = Object.values(data !== undefined && isJsonObject(data) ? data : {});
  return isFilled(errors) || payloads.some((payload) => isJsonObject(payload) && isRefusedPayload(payload));
}

const PARTS = new Set(["data", "errors", "extensions"]);
const isFilled = (list: Json | undefined): boolean => Array.isArray(list) && list.length > 0;
const hasReasons = (value: Json | undefined): boolean =>
  isFilled(value) || (value !== undefined && isJsonObject(value) && Object.keys(value).length > 0);
export const isRefusedPayload = ({ userErrors, success }: JsonObject): boolean =>
  isFilled(userErrors) || success === false;

export const findKindByText = (
  reason: string | undefined,
  texts: Description["errors"]["texts"] = {},
): ProviderErrorKind | undefined => Object.entries(texts).find(([text]) => reason?.includes(text))?.[1];

function classifyKind(status: number): ProviderErrorKind {
  if (status === 401) return "unauthorized";
  if (status === 402 || status === 403) return "forbidden";
  if (status === 404 || status === 410) return "not_found";
  if (status === 408) return "timeout";
  if (status === 409) return "conflict";
  if (status === 429) return "rate_limited";
  // The record is locked for now (RFC 4918, 11.3), or the request came too early (RFC 8470, 5.2): others are not concerned.
  if (status === 423 || status === 425) return "unavailable";
  return status >= 500 || status < 400 ? "unavailable" : "invalid";
}

function readCode(body: Json | undefined, { code, furtherCode }: Description["errors"]): string | undefined {
  if (body === undefined) return undefined;
  const first = code === undefined ? undefined : getTextAt(body, code);
  return first ?? (furtherCode === undefined ? undefined : getTextAt(body, furtherCode));
}

/**
 * Returns the first path's text; `*` in a path stands for every entry of a list or object, joined, and `a|b` for the first of two members.
 * `field` is the member of an entry that names the field which its text is about.
 */
export function findReason(body: Json | undefined, paths: string[], field?: string): string | undefined {
  if (body === undefined) return undefined;
  for (const path of paths) {
    const texts = listTextsAt(body, path.split("."), field);
    if (texts.length > 0) return texts.join("; ");
  }
  return undefined;
}

const MAX_TEXTS = 20;

function listTextsAt(value: Json, [first, ...rest]: string[], field: string | undefined): string[] {
  if (first === undefined) return typeof value === "string" && value !== "" ? [value] : [];
  if (first === "*")
    return listEntries(value, field).flatMap(([name, item]) =>
      labelTexts(name, listTextsAt(item, rest, field)),
    );
  if (Array.isArray(value)) return listTextsAt(value[Number(first)] ?? null, rest, field);
  if (!isJsonObject(value)) return [];
  const found = first
    .split("|")
    .map((name) => (Object.hasOwn(value, name) ? listTextsAt(value[name] ?? null, rest, field) : []));
  return found.find((texts) => texts.length > 0) ?? [];
}

/** Entries with what stands before their texts: the names of an object's members, or the field that an entry of a list names. */
const listEntries = (value: Json, field: string | undefined): [name: string, item: Json][] =>
  Array.isArray(value)
    ? value.slice(0, MAX_TEXTS).map((item) => [(field !== undefined && getTextAt(item, field)) || "", item])
    : isJsonObject(value)
      ? Object.entries(value).slice(0, MAX_TEXTS)
      : [];

const labelTexts = (name: string, texts: string[]): string[] =>
  name === "" ? texts : texts.map((text) => `${name}: ${text}`);

type Limits = NonNullable<Description["limits"]>;

/**
 * The description's header: seconds below ten million, seconds since 1970, or milliseconds since 1970; otherwise the usual headers. Where
 * the window of the header has requests left, it is not the one that was exceeded: GitHub sends its hourly one with every answer.
 */
function retryTime({ headers }: ProviderResponse, { reset, waitSeconds }: Limits = {}): Date {
  const reported = retryAfter(headers["retry-after"]);
  if (reported) return reported;
  const usual = addToNow(waitSeconds === undefined ? RATE_LIMITED_MS : waitSeconds * 1000);
  const name = reset?.toLowerCase();
  if (name !== undefined && Number(headers[name.replace("reset", "remaining")] ?? 0) > 0) return usual;
  const value = Number(name === undefined ? Number.NaN : headers[name]);
  if (!Number.isFinite(value) || value < 0) return usualTime(headers) ?? usual;
  if (value < 1e7) return addToNow(value * 1000);
  return new Date(Math.max(value < 1e11 ? value * 1000 : value, nowMs()));
}
