/** JSON lines on standard output, or in a file, one per thing worth knowing later; never a secret. */
import { destination, pino, type Logger } from "pino";

export type Log = Logger;

/** Members whose value never reaches the log, wherever a caller puts them. */
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

/** `level` is one of pino's: fatal, error, warn, info, debug, trace, silent. With `path`, lines are added to that file. */
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
