/** Checks that the ports are free before a start creates anything, and explains why a listener cannot be opened. */
import cluster from "node:cluster";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Config } from "../ground/config.ts";
import { StartError, readMessage } from "../ground/errors.ts";

interface Listener {
  variable: string;
  port: number;
  /** Where a Busbar can be recognised. */
  path: string;
}

/** Returns the ports that a process of this configuration opens. */
export function listListeners({ roles, port, proxyPort, healthPort }: Config): Listener[] {
  return [
    ...(roles.has("api") ? [{ variable: "BUSBAR_PORT", port, path: "/healthz" }] : []),
    ...(roles.has("proxy") ? [{ variable: "BUSBAR_PROXY_PORT", port: proxyPort, path: "/" }] : []),
    ...(healthPort === undefined
      ? []
      : [{ variable: "BUSBAR_HEALTH_PORT", port: healthPort, path: "/healthz" }]),
  ];
}

/** Throws `StartError` if a port of this configuration cannot be opened. */
export async function requireFreePorts(config: Config): Promise<void> {
  // The parent of several processes has checked; since then it holds the ports.
  if (cluster.isWorker) return;
  for (const listener of listListeners(config)) await requireFreePort(config, listener);
}

/** Throws `StartError` if the port cannot be opened. */
export async function requireFreePort(
  { host, dataDir }: Config,
  { variable, port }: Pick<Listener, "variable" | "port">,
): Promise<void> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (cause) {
    throw listenError(variable, { host, port }, cause, await findOtherBusbar(dataDir));
  }
  server.close();
  await once(server, "close");
}

/** Returns the process ID of the Busbar that uses the data folder, if there is one. */
async function findOtherBusbar(dataDir: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(join(dataDir, "busbar.pid"), "utf8").catch(() => ""), 10);
  try {
    return pid > 0 && process.kill(pid, 0) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the error of a port that cannot be used. `otherPid` is a Busbar that probably has it. */
export function listenError(
  variable: string,
  { host, port }: { host: string; port: number },
  cause: unknown,
  otherPid?: number,
): StartError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") {
    const by = otherPid ? `the Busbar with pid ${otherPid}; stop it` : "another program; set another port";
    return new StartError(`${variable}: port ${port} is in use by ${by}`, { cause });
  }
  if (code === "EACCES") {
    return new StartError(`${variable}: this user may not listen on port ${port}; use a port above 1023`, {
      cause,
    });
  }
  const why = readMessage(cause);
  return new StartError(
    `BUSBAR_HOST: cannot listen at ${host}; it must be an address of this machine (${why})`,
    { cause },
  );
}
