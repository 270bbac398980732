/** Run once around all test files: starts the PostgreSQL they share. */
import { startTestPostgres, URL_VARIABLE, type TestPostgres } from "./postgres.ts";

let postgres: TestPostgres | undefined;

export async function globalSetup(): Promise<void> {
  postgres = await startTestPostgres();
  process.env[URL_VARIABLE] = postgres.url;
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
}
