/** JSON lines on standard output, one per thing worth knowing later; never a secret. */
import { pino, type Logger } from "pino";

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

/** `level` is one of pino's: fatal, error, warn, info, debug, trace, silent. */
export function createLog(level: string): Log {
  const paths = SECRET_MEMBERS.flatMap((member) =>
    member.startsWith("[") ? [member, `*${member}`] : [member, `*.${member}`],
  );
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths, censor: "[redacted]" },
  });
}
