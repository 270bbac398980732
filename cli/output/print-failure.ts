/** Prints why a command failed: what, where, what to do, and the `requestId` for the server's log. */
import { Ended, type Failure } from "../failures.ts";
import { listObjectsAt, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import type { Terminal } from "../terminal.ts";
import { createPaint, type Paint } from "./paint.ts";
import { escapeUnsafe, toPrintableLines } from "./printable.ts";

/** Prints to stderr; with `json` the server's Problem unchanged. */
export function printFailure(
  failure: Failure,
  terminal: Pick<Terminal, "stderr" | "env">,
  json: boolean,
): void {
  if (failure instanceof Ended) return;
  const lines = json
    ? [asJson(failure)]
    : explainFailure(failure, createPaint(terminal.stderr, terminal.env));
  terminal.stderr.write(`${lines.join("\n")}\n`);
}

const asJson = (failure: Failure): string =>
  JSON.stringify(
    failure instanceof Refused && Object.keys(failure.problem).length > 0
      ? failure.problem
      : { detail: failure.message, ...(failure.remedy && { remedy: failure.remedy }) },
  );

function explainFailure(failure: Failure, paint: Paint): string[] {
  const problem = failure instanceof Refused ? failure.problem : {};
  const issues = listObjectsAt(problem, "issues");
  const remedy =
    failure.remedy ??
    getTextAt(problem, "remedy") ??
    (failure instanceof Refused ? findRemedy(failure) : undefined);
  const title = getTextAt(problem, "title");
  const heading = title && title !== failure.message ? `${paint.bold(escapeUnsafe(title))}\n  ` : "";
  return [
    `${paint.red(paint.bold("error"))}: ${heading}${toPrintableLines(failure.message)}`,
    ...issues.flatMap((issue) => listIssueLines(issue, { message: failure.message, remedy }, paint)),
    ...(issues.length > 0 ? [] : listCauses(problem, failure.message)),
    ...(remedy && !failure.message.includes(remedy)
      ? [`  ${paint.blue("→")} ${toPrintableLines(remedy)}`]
      : []),
    ...requestLine(problem, paint),
  ];
}

/** Returns the lines of an issue. The place is printed even if detail and remedy are already printed above. */
function listIssueLines(
  issue: JsonObject,
  { message, remedy: ofAll }: { message: string; remedy: string | undefined },
  paint: Paint,
): string[] {
  const place = [getTextAt(issue, "in"), getTextAt(issue, "name")].filter(Boolean).join(" ");
  const detail = getTextAt(issue, "detail") ?? getTextAt(issue, "title") ?? "";
  const remedy = getTextAt(issue, "remedy");
  const value = getValueAt(issue, "value");
  const isNamed = typeof value === "string" && value !== "" && detail.includes(`\`${value}\``);
  const given =
    value === undefined || isNamed
      ? ""
      : paint.dim(` (given: ${escapeUnsafe(JSON.stringify(value)).slice(0, 200)})`);
  return [
    `  ${paint.yellow(escapeUnsafe(place || "-"))}${message.includes(detail) ? "" : `: ${escapeUnsafe(detail)}`}${given}`,
    ...(remedy && remedy !== ofAll && !message.includes(remedy)
      ? [`    ${paint.blue("→")} ${escapeUnsafe(remedy)}`]
      : []),
  ];
}

function listCauses(problem: JsonObject, reported: string): string[] {
  const listed = getValueAt(problem, "causes");
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((cause) =>
    typeof cause === "string" && !reported.includes(cause) ? [`  - ${escapeUnsafe(cause)}`] : [],
  );
}

function requestLine(problem: JsonObject, paint: Paint): string[] {
  const [requestId, operationId] = [getTextAt(problem, "requestId"), getTextAt(problem, "operationId")];
  return [
    ...(operationId ? [paint.dim(`  operation ${escapeUnsafe(operationId)}`)] : []),
    ...(requestId ? [paint.dim(`  requestId ${escapeUnsafe(requestId)}`)] : []),
  ];
}

function findRemedy({ status, problem }: Refused): string | undefined {
  // A Busbar always answers with a Problem.
  if (Object.keys(problem).length === 0) return "Check that the address is that of a Busbar.";
  if (status === 401) return "Log in again with `busbar login`, or give another key.";
  return undefined;
}
