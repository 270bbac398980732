/** Log: one JSON line per message, to standard output or to a file in the data folder. */
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "typebox";
import { defineDestination, type Message } from "../../destination-kit/destination.ts";

/** A name, not a path: builders must not choose where on the machine Busbar writes. */
const FILE = /^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/;

export const log = defineDestination({
  type: "log",
  label: "Log",
  description: "One JSON line per message, on standard output or in a file of the data folder.",
  config: Type.Object({
    file: Type.Optional(
      Type.String({
        maxLength: 100,
        description: "Name of a file in the data folder's `messages`; standard output without it.",
      }),
    ),
  }),
  secrets: Type.Object({}),
  check: ({ config: { file } }) =>
    file === undefined || FILE.test(file)
      ? []
      : [
          {
            name: "metadata.file",
            detail: "must be a file name of letters, digits, dots, dashes and underscores",
          },
        ],
  open({ config: { file }, name }, network) {
    const write =
      file === undefined ? async (line: string) => network.print(line) : openAppender(network, file);
    return {
      async deliver(message) {
        try {
          await write(formatLine(name, message));
          return { kind: "delivered" };
        } catch (error) {
          return { kind: "failed", error: `cannot write the line: ${describeReason(error)}` };
        }
      },
      close: async () => {},
    };
  },
});

/** A builder must not be able to fill the operator's disk by one file. */
const MAX_BYTES = 1_073_741_824;

/** Opens the file for each line, so that it can be moved or removed at any time. */
function openAppender(network: { filesFolder: string }, name: string): (line: string) => Promise<void> {
  let isTorn = false;
  return async (line) => {
    await mkdir(network.filesFolder, { recursive: true, mode: 0o700 });
    const file = await open(join(network.filesFolder, name), "a", 0o600);
    try {
      if ((await file.stat()).size >= MAX_BYTES) throw new Error("the file is full: move or remove it");
      const bytes = Buffer.from(isTorn ? `\n${line}` : line);
      // One system call appends the whole line; `appendFile` writes in pieces, and lines would mix.
      const { bytesWritten } = await file.write(bytes);
      isTorn = bytesWritten < bytes.length;
      if (isTorn) throw new Error("only a part of it could be written");
    } finally {
      await file.close();
    }
  };
}

/** Returns the error's code: its message contains a path of the machine, which builders must not see. */
function describeReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  if (code === "ENOSPC" || code === "EDQUOT") return "the disk of the data folder is full";
  return code || error.message;
}

const formatLine = (destination: string, { id, topic, time, data }: Message): string =>
  `{"id":${JSON.stringify(id)},"time":"${time.toISOString()}","destination":${JSON.stringify(destination)},` +
  `"topic":${JSON.stringify(topic)},"data":${toOneLine(data)}}\n`;

/** JSON text from a client may have several lines. */
const toOneLine = (data: string): string => (data.includes("\n") ? JSON.stringify(JSON.parse(data)) : data);
