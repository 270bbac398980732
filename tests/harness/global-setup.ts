/** Runs once around all test files: starts the shared PostgreSQL, and sets a shared compile cache. */
import { join } from "node:path";
import { startTestPostgres, URL_VARIABLE, type TestPostgres } from "./postgres.ts";

let postgres: TestPostgres | undefined;

export async function globalSetup(): Promise<void> {
  postgres = await startTestPostgres();
  process.env[URL_VARIABLE] = postgres.url;
  // Each file is a process and most load the same modules; the compile cache strips types once.
  process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "../../node_modules/.cache/tests");
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
}
