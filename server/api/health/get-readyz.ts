/** GET /readyz: the process can do its work. */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { isDatabaseReady } from "../../store/migrate.ts";

export interface Readiness {
  database: Database;
  /** Undefined: this process has not the role. */
  workerRunning?: () => boolean;
}

export const getReadyz = (deps: Readiness) =>
  endpoint({
    operationId: "getReadyz",
    tag: "Health",
    summary: "Ready",
    description:
      "503 while the database does not answer or has not all migrations, or the worker is not running.",
    success: { status: 200, description: "Ready.", schema: Type.Object({ status: Type.Literal("ok") }) },
    refusals: {
      503: "The database does not answer or has not all migrations, or the worker is not running.",
    },
    async handle() {
      if (!(await isDatabaseReady(deps.database.pool))) {
        throw new Problem("unavailable", {
          detail: "The database does not answer, or migrations are missing.",
        });
      }
      if (deps.workerRunning?.() === false) {
        throw new Problem("unavailable", { detail: "The worker is not running." });
      }
      return { status: "ok" as const };
    },
  });
