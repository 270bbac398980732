/** The script of the reader, in which a browser shows the API. */
import { execFile } from "node:child_process";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { PROJECT_ROOT } from "../../../ground/project-root.ts";

const MAX_BYTES = 16 * 1024 * 1024;
/** In a package, programs are JavaScript. */
const EXTRACTOR = join(PROJECT_ROOT, `server/api/docs/extract-reader${extname(import.meta.filename)}`);

let program: Promise<Buffer> | undefined;

/** Returns the compressed script. Fetched on first use; most processes never need it. */
export function readerProgram(): Promise<Buffer> {
  program ??= extractProgram().catch((error: unknown) => {
    program = undefined;
    throw error;
  });
  return program;
}

/** In a child process, so that the memory it needs is freed. */
async function extractProgram(): Promise<Buffer> {
  const run = promisify(execFile);
  // The package needs nothing of the environment.
  const options = { encoding: "buffer", maxBuffer: MAX_BYTES, env: {} } as const;
  return (await run(process.execPath, [EXTRACTOR], options)).stdout;
}
