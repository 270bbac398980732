/** Describes the progress of an operation that reads records. */
import { getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import { escapeUnsafe } from "./printable.ts";

/** Returns for example `reading contacts: 1,200 of 5,000 records (24 %)`; undefined without numbers. */
export function formatProgress(operation: JsonObject): string | undefined {
  const read = getValueAt(operation, "metadata.progress.recordsProcessed");
  if (typeof read !== "number") return undefined;
  const total = getValueAt(operation, "metadata.progress.recordsEstimatedTotal");
  const waitedMs = getValueAt(operation, "metadata.read.waitedMs");
  const name = escapeUnsafe(getTextAt(operation, "metadata.progress.objectName") ?? "");
  const known =
    typeof total === "number" && total > 0
      ? ` of ${formatNumber(total)} records (${Math.floor((100 * read) / total)} %)`
      : " records";
  const waited =
    typeof waitedMs === "number" && waitedMs >= 1_000 ? `, waited ${formatNumber(waitedMs / 1_000)} s` : "";
  const rate = getValueAt(operation, "metadata.progress.recordsPerSecond");
  const left = getValueAt(operation, "metadata.progress.secondsLeft");
  const pace =
    (typeof rate === "number" ? `, ${rate} a second` : "") +
    (typeof left === "number" ? `, about ${formatLeft(left)} left` : "");
  const reason = WAITS[getTextAt(operation, "metadata.read.waitsFor") ?? ""];
  return `reading ${name}: ${formatNumber(read)}${known}${pace}${waited}${reason === undefined ? "" : `, waits for ${reason}`}`;
}

const WAITS: Record<string, string> = {
  provider: "the provider, which does not answer or fails",
  rate_limit: "the provider's rate limit",
  calls: "free calls of the account",
  destination: "the destination",
  credentials: "the customer to connect again",
};

const formatLeft = (seconds: number): string =>
  seconds < 90 ? `${seconds} s` : `${formatNumber(seconds / 60)} min`;

const formatNumber = (number: number): string => Math.round(number).toLocaleString("en");
