/** Starts a ClickHouse for a test, if the machine has one, with its data in a temporary folder. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const SERVER = "/usr/sbin/clickhouse-server";

/** For `skip`: why it is not installed here; false if it is. */
export const noClickHouse: string | false = existsSync(SERVER) ? false : "clickhouse-server is not installed";

const USER = { username: "crm", password: "s3cret:@/+41" };

export interface ClickHouse {
  url: string;
  username: string;
  password: string;
  /** Executes a statement and returns its answer as text. */
  query(statement: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startClickHouse(): Promise<ClickHouse> {
  const folder = await mkdtemp(join(tmpdir(), "busbar-clickhouse-"));
  const [port, tcpPort, betweenPort] = [await freePort(), await freePort(), await freePort()];
  const file = join(folder, "config.xml");
  await writeFile(file, buildConfiguration(folder, port, tcpPort, betweenPort));
  await writeFile(join(folder, "users.xml"), USERS);
  const server = spawn(SERVER, [`--config-file=${file}`], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => (log += text));
  const url = `http://127.0.0.1:${port}`;
  const headers = { "x-clickhouse-user": USER.username, "x-clickhouse-key": USER.password };
  const query = async (statement: string): Promise<string> => {
    const answer = await fetch(url, { method: "POST", headers, body: statement });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  };
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill("SIGKILL");
      await once(server, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(async () => {
      if (server.exitCode !== null) throw new Error(`ClickHouse ended: ${log}`);
      return query("select 1").catch(() => undefined);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, ...USER, query, stop };
}

const buildConfiguration = (
  folder: string,
  port: number,
  tcpPort: number,
  betweenPort: number,
): string => `<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port>
  <tcp_port>${tcpPort}</tcp_port>
  <interserver_http_port>${betweenPort}</interserver_http_port>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <mark_cache_size>67108864</mark_cache_size>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
</yandex>
`;

const USERS = `<yandex>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users><${USER.username}>
    <password>${USER.password}</password>
    <networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
  </${USER.username}></users>
</yandex>
`;
