/** Writes the log as JSON lines, with the ids of the current work and without secrets, to standard output, a file or a function. */
import { destination, pino, type Logger } from "pino";
import { findCurrentWork } from "./current-work.ts";

export type Log = Logger;

/** Members whose values are redacted, down to two levels below the root. */
const SECRET_MEMBERS = [
  "authorization",
  "cookie",
  "apiKey",
  '["x-api-key"]',
  "accessToken",
  "refreshToken",
  "clientSecret",
  "password",
  "token",
  "secret",
];

/**
 * Creates a log. `level` is one of pino's: fatal, error, warn, info, debug, trace, silent. With `to`, lines are appended to that
 * file, or written there.
 */
export function createLog(level: string, to?: string | { write(line: string): void }): Log {
  const paths = SECRET_MEMBERS.flatMap((member) =>
    member.startsWith("[")
      ? [member, `*${member}`, `*.*${member}`]
      : [member, `*.${member}`, `*.*.${member}`],
  );
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // Members of the line itself win.
    mixin: () => ({ ...findCurrentWork()?.ids }),
    redact: { paths, censor: "[redacted]" },
  };
  if (to === undefined) return pino(options);
  return pino(options, typeof to === "string" ? destination({ dest: to, mode: 0o600 }) : to);
}
