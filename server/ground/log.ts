/** Writes the log as JSON lines to standard output or to a file, without secrets. */
import { destination, pino, type Logger } from "pino";

export type Log = Logger;

/** Members whose values are redacted at any depth. */
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

/** `level` is one of pino's: fatal, error, warn, info, debug, trace, silent. With `path`, lines are appended to that file. */
export function createLog(level: string, path?: string): Log {
  const paths = SECRET_MEMBERS.flatMap((member) =>
    member.startsWith("[") ? [member, `*${member}`] : [member, `*.${member}`],
  );
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths, censor: "[redacted]" },
  };
  return path === undefined ? pino(options) : pino(options, destination({ dest: path, mode: 0o600 }));
}
