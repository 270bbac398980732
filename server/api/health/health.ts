/** Health of this process, for load balancers and orchestrators. */
import { Type } from "typebox";
import { clockAheadMs } from "../../../ground/clock.ts";
import type { Config } from "../../../ground/config.ts";
import { Problem } from "../../../ground/errors.ts";
import { endpoint, route, type Route } from "../../http/endpoint.ts";
import { TOLD_FROM_MS } from "../../jobs/keep-time.ts";
import type { Database } from "../../store/database/database.ts";
import { readWorstState, type DatabaseState } from "../../store/database/readiness.ts";
import { hasWorker } from "../../store/processes/running-processes.ts";

export const listHealthRoutes = (deps: Readiness): Route[] => [
  route("GET /healthz", "public", getHealthz()),
  route("GET /readyz", "public", getReadyz(deps)),
];

const getHealthz = () =>
  endpoint({
    operationId: "getHealthz",
    tag: "Health",
    summary: "Alive",
    description: "Answers while the process runs, whatever the state of the database.",
    success: {
      status: 200,
      description: "The process answers.",
      schema: Type.Object({ status: Type.Literal("ok", { description: "Always `ok`." }) }),
    },
    handle: async () => ({ status: "ok" as const }),
  });

interface Readiness {
  config: Pick<Config, "roles">;
  database: Database;
  /** Undefined if this process has no worker. */
  workerRunning?: () => boolean;
  isStopping?: () => boolean;
}

/** What the proxy does not need for callers that it knows. */
const NOT_NEEDED_TO_PROXY: DatabaseState[] = ["away", "full", "unwritable"];

const UNREADY: Record<Exclude<DatabaseState, "ready">, string> = {
  away: "The database does not answer.",
  full: "The disk of the database is full: nothing can be stored. Free some space on it; nothing has to be restarted.",
  unwritable:
    "The database answers but takes no writes: it is a standby, or somebody holds the lock of a table.",
  behind: "The database lacks migrations of this version.",
  ahead: "A newer version of Busbar has migrated the database. Replace this process by one of that version.",
};

const getReadyz = (deps: Readiness) =>
  endpoint({
    operationId: "getReadyz",
    tag: "Health",
    summary: "Ready",
    description:
      "503 while the database does not answer, takes no writes, or has other migrations than this version, the worker " +
      "is not running, or the process stops. With `for=proxy` only what keeps it from proxying counts: while the database does " +
      "not answer or takes no writes, calls are proxied for installations that this process knows. A process without the role " +
      "`proxy` answers 503.",
    query: Type.Object({
      for: Type.Optional(
        Type.Literal("proxy", {
          description: "For the health check of a load balancer in front of the proxy's port.",
        }),
      ),
    }),
    success: {
      status: 200,
      description: "Ready.",
      schema: Type.Object({
        status: Type.Literal("ok", { description: "Always `ok`." }),
        hasWorker: Type.Optional(
          Type.Literal(false, {
            description:
              "Only if no process on this database has the role `worker`: nothing is read, delivered or written asynchronously. This process is ready all the same.",
          }),
        ),
        unavailable: Type.Optional(
          Type.Array(Type.String({ description: "Name of a shard." }), {
            description:
              "Only while databases of customers (shards) beside the main one are away: their names. Their customers are refused, the others served, so the process is ready.",
          }),
        ),
        clockAheadSeconds: Type.Optional(
          Type.Number({
            description:
              "Only if the clock of this machine differs from the database's by a second or more: by how much it is ahead; negative if it is behind. Busbar uses the database's.",
          }),
        ),
      }),
    },
    refusals: {
      503: "The database does not answer, takes no writes, or has other migrations than this version, the worker is not running, or the process stops; for the proxy, see above.",
    },
    async handle({ query }) {
      if (deps.isStopping?.()) throw new Problem("unavailable", { detail: "This process stops." });
      const isProxying = query.for === "proxy";
      if (isProxying && !deps.config.roles.has("proxy"))
        throw new Problem("unavailable", { detail: "This process has no proxy: BUSBAR_ROLES lacks it." });
      const state = await readWorstState(deps.database);
      if (state !== "ready" && !(isProxying && NOT_NEEDED_TO_PROXY.includes(state)))
        throw new Problem("unavailable", { detail: UNREADY[state] });
      if (isProxying) return answerReady();
      if (deps.workerRunning?.() === false) {
        throw new Problem("unavailable", { detail: "The worker is not running." });
      }
      const away = deps.database.shards.filter(({ trouble }) => trouble).map(({ shard }) => shard);
      const isWorked = deps.config.roles.has("worker") || (await hasWorker(deps.database.control));
      return {
        ...answerReady(),
        ...(!isWorked && { hasWorker: false as const }),
        ...(away.length > 0 && { unavailable: away }),
      };
    },
  });

function answerReady(): { status: "ok"; clockAheadSeconds?: number } {
  const aheadMs = clockAheadMs();
  return {
    status: "ok",
    ...(Math.abs(aheadMs) >= TOLD_FROM_MS && { clockAheadSeconds: Math.round(aheadMs / 1_000) }),
  };
}
