/** Classifies a provider's answers by the description's rules for errors and limits. */
import { nowMs } from "../../ground/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { retryAfter, retryTime as usualTime } from "../../ground/retry-after.ts";
import { shorten } from "../../ground/storable-text.ts";
import type { ProviderResponse } from "../calls/provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "../calls/provider-error.ts";
import { judgeRefusal, describeUnexplained } from "../calls/judge-refusal.ts";
import { addToNow, parseBody } from "../calls/send-request.ts";
import { getTextAt, getValueAt } from "../calls/get-text-at.ts";
import type { Description } from "./rules/description.ts";

const RATE_LIMITED_MS = 10_000;

/** Servers of GraphQL give this code to errors that they did not expect, with status 200. */
export const UNEXPECTED = "INTERNAL_SERVER_ERROR";

/** Returns the classification of a connector: undefined for a success. */
export const createDeclarativeClassify =
  (provider: string, { errors, limits, graphql }: Description) =>
  (response: ProviderResponse): ProviderError | undefined => {
    const { status } = response;
    const body = parseBody(response.text);
    const isGood = status >= 200 && status < 300;
    const isRefused =
      isRefusal(body, errors.okWhen) ||
      isListed(body, errors) ||
      (graphql !== undefined && isGraphqlRefusal(body));
    if (isGood && !isRefused) return undefined;
    const text = body === undefined ? response.text.trim() : "";
    const words = (errors.plainText && isPlain(response)) || isKnown(text, errors) ? text : undefined;
    const reason = findReason(body, errors.message, errors.field) ?? words;
    const code = readCode(body, errors);
    const kind =
      (code !== undefined && Object.hasOwn(errors.codes ?? {}, code) ? errors.codes?.[code] : undefined) ??
      findKindByText(reason, errors.texts) ??
      errors.statuses?.[String(status)] ??
      (graphql !== undefined && code === UNEXPECTED ? "unavailable" : undefined) ??
      (isGood
        ? "invalid"
        : judgeRefusal(response, classifyKind(status), words !== undefined || isFilledJson(body)));
    return new ProviderError({
      kind,
      message: reason ?? describeUnexplained(provider, status, kind),
      ...(code !== undefined && { code }),
      status,
      ...(kind === "rate_limited" && { retryAt: retryTime(response, limits) }),
      rawResponse: shorten(response.text),
    });
  };

const MAX_WORDS = 500;

/** Pages of servers in between are HTML. */
const isPlain = ({ headers, text }: ProviderResponse): boolean =>
  /^text\/plain\b/i.test(headers["content-type"] ?? "") && areWords(text.trim());

const areWords = (text: string): boolean => text !== "" && text.length <= MAX_WORDS && !text.startsWith("<");

/** Words that the description knows are the provider's own, whatever type they are said to have. */
const isKnown = (text: string, { texts }: Description["errors"]): boolean =>
  areWords(text) && findKindByText(text, texts) !== undefined;

/** JSON is taken for the provider's own, because a description does not know each of its forms. */
const isFilledJson = (body: Json | undefined): boolean =>
  body !== undefined && body !== null && (typeof body !== "object" || Object.keys(body).length > 0);

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
  if (status === 423 || status === 429) return "rate_limited";
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
