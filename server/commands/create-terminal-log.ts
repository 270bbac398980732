/** Shows the log to a person at a terminal: one short line instead of JSON. */

/** Writes the JSON lines of the log to the screen as time, level, message and plain members. */
export const createTerminalLog = (screen: { write(text: string): unknown }) => ({
  write: (line: string): void => void screen.write(`${formatLine(line)}\n`),
});

/** Ids that only a log store needs. A line with a request id is shown without them. */
const FOUND_BY_REQUEST = new Set(["projectId", "installationId", "connectionId", "traceId"]);

function formatLine(line: string): string {
  const { time, level, msg, ...members } = JSON.parse(line) as Record<string, unknown>;
  const isFound = members["requestId"] !== undefined;
  const shown = Object.entries(members).flatMap(([name, value]) =>
    typeof value === "object" || (isFound && FOUND_BY_REQUEST.has(name))
      ? []
      : [`${name}=${quoteValue(value)}`],
  );
  const clock = String(time).slice(11, 19);
  return [clock, String(level).padEnd(5), String(msg ?? ""), ...shown].join("  ").trimEnd();
}

/** Quotes a value with spaces or control characters. */
const quoteValue = (value: unknown): string =>
  /^[\w./:@{}*-]*$/.test(String(value)) ? String(value) : JSON.stringify(value);
