/** Extracts Scalar's script from its package, in a child process, so that the memory it needs is freed. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const MAX_BYTES = 16 * 1024 * 1024;

let program: Promise<Buffer> | undefined;

/** Returns the compressed script. Fetched on first use; most processes never need it. */
export function readerProgram(): Promise<Buffer> {
  program ??= fetchProgram().catch((error: unknown) => {
    program = undefined;
    throw error;
  });
  return program;
}

async function fetchProgram(): Promise<Buffer> {
  const run = promisify(execFile);
  // The package needs nothing of the environment.
  const options = { encoding: "buffer", maxBuffer: MAX_BYTES, env: {} } as const;
  return (await run(process.execPath, [import.meta.filename], options)).stdout;
}

/** The package contains the script in a Fastify plugin; an instance that never listens serves it. */
async function compressedProgram(): Promise<Buffer> {
  const [{ default: Fastify }, { default: scalar }] = await Promise.all([
    import("fastify"),
    import("@scalar/fastify-api-reference"),
  ]);
  const app = Fastify();
  app.register(scalar, { routePrefix: "/docs", configuration: { url: "/openapi.json" } });
  const answer = await app.inject("/docs/js/scalar.js");
  await app.close();
  if (answer.statusCode !== 200) throw new Error(`the reader's package answered ${answer.statusCode}`);
  return promisify(gzip)(answer.rawPayload);
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.write(await compressedProgram());
}
