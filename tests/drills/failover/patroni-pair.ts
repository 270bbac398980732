/** Two PostgreSQL servers that Patroni manages, behind the one address of HAProxy: the standby is promoted without anybody's help. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../harness/free-port.ts";
import { until } from "../../harness/until.ts";
import { ask, end, createOwnFolder, findPrograms, findServerUser, succeeds } from "./postgres-tools.ts";
import type { ServerPair } from "./server-pair.ts";

/** Seconds without a sign of the leader until Patroni elects another; Patroni takes no less. */
const TTL = 20;

interface Node {
  name: string;
  port: number;
  restPort: number;
  folder: string;
}

/** Throws an error if a program is missing. */
export async function startPatroniPair(home: string): Promise<ServerPair> {
  for (const program of ["/usr/bin/patroni", "/usr/bin/etcd", "/usr/sbin/haproxy"])
    if (!existsSync(program))
      throw new Error(`${program} is missing (apt-get install patroni etcd-server haproxy)`);
  const user = await findServerUser();
  await createOwnFolder(home, user);
  const start = (program: string, args: string[]): ChildProcess =>
    spawn(program, args, { cwd: home, stdio: "ignore", ...user });
  const etcd = await startEtcd(home, start);
  const nodes: Node[] = [];
  for (const name of ["one", "two"])
    nodes.push({ name, port: await freePort(), restPort: await freePort(), folder: join(home, name) });
  const patronis = new Map<Node, ChildProcess>();
  for (const node of nodes) {
    const file = join(home, `${node.name}.json`);
    await writeFile(file, JSON.stringify(writePatroniSettings(node, home, etcd.port)), { mode: 0o644 });
    patronis.set(node, start("/usr/bin/patroni", [file]));
    await until(async () => (await readRole(node)) !== undefined, 60_000);
  }
  const port = await freePort();
  await writeFile(join(home, "haproxy.cfg"), writeHaproxySettings(port, nodes));
  const haproxy = start("/usr/sbin/haproxy", ["-db", "-f", join(home, "haproxy.cfg")]);
  const isPaired = async () =>
    (await succeeds(port, "select 1")) &&
    (await ask(port, "select string_agg(sync_state, '') from pg_stat_replication")) === "sync";
  await until(isPaired, 60_000);
  return {
    url: `postgres://busbar@127.0.0.1:${port}/postgres`,
    port,
    async killPrimary() {
      for (const [node, patroni] of patronis) {
        if ((await readRole(node)) !== "primary") continue;
        const postgres = Number((await readFile(join(node.folder, "postmaster.pid"), "utf8")).split("\n")[0]);
        const gone = end(patroni, "SIGKILL");
        process.kill(postgres, "SIGKILL");
        return gone;
      }
    },
    async promote() {
      const startedMs = performance.now();
      await until(() => succeeds(port, "create temporary table written ()"), 120_000);
      return Math.round(performance.now() - startedMs);
    },
    async close() {
      await Promise.all([...patronis.values()].map((patroni) => end(patroni, "SIGINT")));
      await Promise.all([end(haproxy, "SIGKILL"), end(etcd.process, "SIGKILL")]);
    },
  };
}

async function startEtcd(home: string, start: (program: string, args: string[]) => ChildProcess) {
  const [port, peerPort] = [await freePort(), await freePort()];
  const [clients, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const args = ["--data-dir", join(home, "etcd"), "--name", "one", "--initial-cluster", `one=${peers}`];
  const listening = ["--listen-client-urls", clients, "--advertise-client-urls", clients];
  const joining = ["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers];
  const etcd = start("/usr/bin/etcd", [...args, ...listening, ...joining]);
  await until(() => answersOk(`${clients}/health`), 30_000);
  return { port, process: etcd };
}

const writePatroniSettings = ({ name, port, restPort, folder }: Node, home: string, etcdPort: number) => ({
  scope: "busbar",
  name,
  restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
  etcd3: { host: `127.0.0.1:${etcdPort}` },
  bootstrap: {
    dcs: {
      ttl: TTL,
      loop_wait: 2,
      retry_timeout: 3,
      synchronous_mode: true,
      postgresql: { parameters: { max_connections: 200 } },
    },
    initdb: [{ encoding: "UTF8" }],
  },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: folder,
    bin_dir: findPrograms(),
    pgpass: join(home, `${name}.pgpass`),
    authentication: {
      superuser: { username: "busbar", password: "busbar" },
      replication: { username: "busbar", password: "busbar" },
    },
    parameters: { unix_socket_directories: home },
    pg_hba: [
      "host all all 127.0.0.1/32 trust",
      "host replication all 127.0.0.1/32 trust",
      "local all all trust",
    ],
  },
});

const writeHaproxySettings = (port: number, nodes: Node[]): string => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.restPort}`).join("\n")}
`;

/** Returns what Patroni says its server is; undefined until the server runs. */
async function readRole({ restPort }: Node): Promise<"primary" | "standby" | undefined> {
  if (await answersOk(`http://127.0.0.1:${restPort}/primary`)) return "primary";
  if (await answersOk(`http://127.0.0.1:${restPort}/replica`)) return "standby";
  return undefined;
}

const answersOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
