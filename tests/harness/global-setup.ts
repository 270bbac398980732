/** Run once around all test files: starts the PostgreSQL they share, and lets them share what was made of the code. */
import { join } from "node:path";
import { startTestPostgres, URL_VARIABLE, type TestPostgres } from "./postgres.ts";

let postgres: TestPostgres | undefined;

export async function globalSetup(): Promise<void> {
  postgres = await startTestPostgres();
  process.env[URL_VARIABLE] = postgres.url;
  // Each file is a process, and most of them load the same modules: types are stripped once.
  process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "../../node_modules/.cache/tests");
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
}
