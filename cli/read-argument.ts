/** Reads the value of an option: text, `@file`, or `-` for stdin. */
import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { isExactNumber } from "../ground/json.ts";
import { Failure, UsageFailure } from "./failures.ts";
import type { Json } from "./http/json.ts";
import { readBody } from "./http/send.ts";
import type { Terminal } from "./terminal.ts";

/** The server accepts 10 MB. */
const MAX_BYTES = 16 * 1024 * 1024;

type Sources = Pick<Terminal, "stdin" | "cwd">;

/** Throws `Failure` for a file that cannot be read. */
export async function readArgument(given: string, { stdin, cwd }: Sources): Promise<Buffer> {
  if (given === "-" || given === "@-") return readBody(stdin, MAX_BYTES);
  if (!given.startsWith("@")) return Buffer.from(given);
  const path = given.slice(1);
  const file = createReadStream(resolve(cwd, path));
  // The event has the reason; reading would only report a broken stream.
  await new Promise<void>((opened, failed) => {
    file.once("ready", opened);
    file.once("error", (cause) =>
      failed(new Failure(`${path} cannot be read: ${cause.message}.`, { cause })),
    );
  });
  return readBody(file, MAX_BYTES);
}

/** Reads the value as JSON, as `parseJsonArgument` does. */
export async function readJsonArgument(option: string, given: string, sources: Sources): Promise<Json> {
  const text = (await readArgument(given, sources)).toString();
  const from = given.startsWith("@") ? `, from ${given.slice(1)},` : given === "-" ? ", from stdin," : "";
  return parseJsonArgument(`${option}${from}`, text);
}

/** Throws `UsageFailure` that names the option for text that is not JSON, and for a number that would be rounded. */
export function parseJsonArgument(option: string, text: string): Json {
  const exact = (_name: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== "number" || isExactNumber(context?.source ?? "")) return value;
    throw new UsageFailure(
      `The value of ${option} has the number ${context?.source}, which has more digits than a double can hold.`,
      { remedy: "Send it as a text." },
    );
  };
  try {
    return JSON.parse(text, exact) as Json;
  } catch (cause) {
    if (cause instanceof UsageFailure) throw cause;
    throw new UsageFailure(`The value of ${option} is not JSON: ${describeFault(cause)}.`, { cause });
  }
}

/** Removes the part of the text that the parser quotes: it may contain a secret. */
const describeFault = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/, (\.\.\.)?".*$/s, "") : String(error);
