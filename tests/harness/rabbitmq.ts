/** Starts a RabbitMQ for a test, if the machine has one, with data and certificates in a temporary folder. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

/** Not the one in /usr/sbin, which requires the user `rabbitmq`. */
const SERVER = "/usr/lib/rabbitmq/bin/rabbitmq-server";

/** For `skip`: why it is not installed here; false if it is. */
export const noRabbit: string | false = existsSync(SERVER) ? false : "rabbitmq-server is not installed";

export interface Rabbit {
  port: number;
  tlsPort: number;
  username: string;
  password: string;
  /** The authority of the TLS port's certificate, which no trust store contains. */
  authority: string;
  stop(): Promise<void>;
}

const USER = { username: "crm", password: "s3cret:@/+41" };

export async function startRabbit(): Promise<Rabbit> {
  const folder = await mkdtemp(join(tmpdir(), "busbar-rabbit-"));
  const [port, tlsPort, distPort, epmdPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  certify(folder);
  await writeFile(join(folder, "rabbitmq.conf"), buildConfiguration(folder, port, tlsPort));
  await writeFile(join(folder, "plugins"), "[].");
  const env = {
    PATH: process.env["PATH"],
    LANG: "C.UTF-8",
    HOME: folder,
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_NODENAME: `busbar-${port}@localhost`,
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
    RABBITMQ_MNESIA_BASE: join(folder, "data"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_LOGS: "-",
  };
  // Otherwise the broker starts one that keeps running.
  const epmd = spawn("epmd", ["-port", String(epmdPort), "-address", "127.0.0.1"], { env, stdio: "ignore" });
  await until(() => isListening(epmdPort));
  const server = spawn(SERVER, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => (log += text));
  const stop = async () => {
    await awaitEnd(server, () => process.kill(-(server.pid ?? 0), "SIGKILL"));
    await awaitEnd(epmd, () => epmd.kill("SIGKILL"));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(async () => {
      if (server.exitCode !== null) throw new Error(`RabbitMQ ended: ${log}`);
      return log.includes("Server startup complete");
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const authority = await readFile(join(folder, "authority.pem"), "utf8");
  return { port, tlsPort, ...USER, authority, stop };
}

const buildConfiguration = (folder: string, port: number, tlsPort: number): string =>
  [
    `listeners.tcp.1 = 127.0.0.1:${port}`,
    `listeners.ssl.1 = 127.0.0.1:${tlsPort}`,
    `ssl_options.cacertfile = ${folder}/authority.pem`,
    `ssl_options.certfile = ${folder}/server.pem`,
    `ssl_options.keyfile = ${folder}/server.key`,
    `default_user = ${USER.username}`,
    `default_pass = ${USER.password}`,
    "",
  ].join("\n");

/** Creates an authority, valid for one hour, and its certificate for `localhost`. */
function certify(folder: string): void {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const key = ["-newkey", "rsa:2048", "-nodes", "-days", "1"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-subj",
    "/CN=Test authority",
    "-keyout",
    "authority.key",
    "-out",
    "authority.pem",
  );
  openssl(
    "req",
    "-x509",
    ...key,
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost",
    "-addext",
    "basicConstraints=critical,CA:FALSE",
    "-CA",
    "authority.pem",
    "-CAkey",
    "authority.key",
    "-keyout",
    "server.key",
    "-out",
    "server.pem",
  );
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
  const answer = await promise;
  socket.destroy();
  return answer;
}

async function awaitEnd(process: ChildProcess, end: () => void): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exit = new Promise((resolve) => process.once("exit", resolve));
  end();
  await exit;
}
