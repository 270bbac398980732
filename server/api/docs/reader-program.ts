/** Takes Scalar's program out of its package, in a process of its own, so that what that needs of memory ends with it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const MOST_BYTES = 16 * 1024 * 1024;

let program: Promise<Buffer> | undefined;

/** The program, compressed. Fetched when it is first asked for: most processes never are. */
export function readerProgram(): Promise<Buffer> {
  program ??= fetchProgram().catch((error: unknown) => {
    program = undefined;
    throw error;
  });
  return program;
}

async function fetchProgram(): Promise<Buffer> {
  const run = promisify(execFile);
  // Nothing of our environment: the package needs none of it.
  const options = { encoding: "buffer", maxBuffer: MOST_BYTES, env: {} } as const;
  return (await run(process.execPath, [import.meta.filename], options)).stdout;
}

/** The package holds it inside a Fastify plugin, so an instance that never listens is asked for it. */
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
