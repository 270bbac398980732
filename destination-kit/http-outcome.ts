/** Turns an HTTP answer into the outcome of an attempt. */
import { nowMs } from "../ground/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";
import { retryAfter } from "../ground/retry-after.ts";
import { toStorable } from "../ground/storable-text.ts";
import type { Exchange, Outcome } from "./destination.ts";

/** Maps 2xx to `delivered`, 410 to `gone`, everything else to `failed`; redirects are not followed. */
export function toHttpOutcome(exchange: Exchange): Outcome {
  if ("failure" in exchange) {
    return { kind: "failed", error: exchange.message, overloaded: exchange.failure === "timeout" };
  }
  const { status, headers } = exchange;
  const answer = excerptBody(exchange.body);
  if (status >= 200 && status < 300) return { kind: "delivered", status, answer };
  if (status === 410) return { kind: "gone", status, answer, error: "the receiver answered 410 Gone" };
  const redirects = headers["location"] !== undefined && status >= 300 && status < 400;
  return {
    kind: "failed",
    status,
    answer,
    error: redirects
      ? `the receiver answered ${status} and redirects are not followed; enter the final address`
      : `the receiver answered ${status}`,
    overloaded: status === 429,
    retryAfterMs: retryAfterMs(headers["retry-after"]),
  };
}

const ANSWER_BYTES = 16 * 1024;

/** Returns the first 16 KiB as text that PostgreSQL can store: without NULs, and with whole characters only. */
export const excerptBody = (body: Buffer): string =>
  toStorable(body.subarray(0, ANSWER_BYTES).toString("utf8"));

/** Shortens a text in the same way. Every `answer` of an outcome must be shortened by one of these two functions. */
export const cutExcerpt = (text: string): string => excerptBody(Buffer.from(text));

/** Returns `Retry-After` as milliseconds from now. */
export function retryAfterMs(header: string | undefined): number | undefined {
  const fromMs = nowMs();
  const time = retryAfter(header, fromMs);
  return time && Math.max(0, time.getTime() - fromMs);
}

/** Returns the members of a body that is a JSON object; none of any other body. */
export function parseMembers(body: Buffer): JsonObject {
  try {
    const answer: Json = JSON.parse(body.toString("utf8"));
    return isJsonObject(answer) ? answer : {};
  } catch {
    return {};
  }
}
