/** Writes audit events as CSV, one line each (RFC 4180). */
import type { Schemas } from "../../api.gen.ts";

type AuditEvent = Schemas["AuditEvent"];

const COLUMNS: readonly [string, (event: AuditEvent) => string | undefined][] = [
  ["time", ({ time }) => time],
  ["actorKind", ({ actor }) => actor.kind],
  ["actorId", ({ actor }) => actor.id],
  ["actorName", ({ actor }) => actor.name],
  ["operationId", ({ operationId }) => operationId],
  ["projectId", ({ projectId }) => projectId],
  ["targetKind", ({ target }) => target?.kind],
  ["targetId", ({ target }) => target?.id],
  ["targetName", ({ target }) => target?.name],
  ["changed", ({ changed = [] }) => changed.join(" ")],
  ["requestId", ({ requestId }) => requestId],
];

export const writeAuditCsv = (events: readonly AuditEvent[]): string =>
  [COLUMNS.map(([head]) => head), ...events.map((event) => COLUMNS.map(([, value]) => value(event) ?? ""))]
    .map((cells) => `${cells.map(formatCell).join(",")}\r\n`)
    .join("");

/** A spreadsheet would run a name that begins like a formula. */
function formatCell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
