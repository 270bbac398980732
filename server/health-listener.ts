/** Health checks and metrics on a port of their own, for processes of every role, and for networks that must not reach the API. */
import { createServer, type Server } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Config } from "../ground/config.ts";
import { listenError } from "./require-free-ports.ts";

const PATHS = /^\/(healthz|readyz|metrics)(\?|$)/;
const MAX_CONNECTIONS = 100;
/** Node.js looks for late requests every 30 s by default: silent connections would keep health checks out for as long. */
const TIMEOUTS = {
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000,
};

/** Passes requests for these paths on to the API's routes; answers 404 to others. */
export async function listenHealth(
  api: FastifyInstance,
  { host, healthPort }: Pick<Config, "host" | "healthPort">,
): Promise<Server> {
  await api.ready();
  const server = createServer(TIMEOUTS, (request, response) => {
    if (PATHS.test(request.url ?? "")) api.routing(request, response);
    else response.writeHead(404).end();
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(listenError("BUSBAR_HEALTH_PORT", { host, port: healthPort ?? 0 }, cause)),
    );
    server.listen(healthPort, host, resolve);
  });
  return server;
}
