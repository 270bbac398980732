/** Starts a real nginx with the shipped configuration, if the machine has one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { SELF_SIGNED } from "./self-signed.ts";
import { until } from "./until.ts";

const PROGRAM = "/usr/sbin/nginx";
const SHIPPED = join(import.meta.dirname, "../../deploy/nginx.conf");

/** For `skip`: why it is not installed here; false if it is. */
export const noNginx: string | false = existsSync(PROGRAM) ? false : "nginx is not installed";

export interface Nginx {
  /** Port of both servers; the name in SNI and `Host` chooses one. */
  port: number;
  stop(): Promise<void>;
}

/** Changes only addresses, ports and paths of the shipped file. */
export async function startNginx(ports: { api: number; proxy: number }): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), "busbar-nginx-"));
  const port = await freePort();
  const shipped = (await readFile(SHIPPED, "utf8"))
    .replaceAll("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replaceAll("127.0.0.1:4000", `127.0.0.1:${ports.api}`)
    .replaceAll("127.0.0.1:4001", `127.0.0.1:${ports.proxy}`)
    .replaceAll("/etc/ssl/busbar", folder);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(join(folder, "fullchain.pem"), SELF_SIGNED.cert);
  await writeFile(join(folder, "privkey.pem"), SELF_SIGNED.key);
  await writeFile(
    join(folder, "nginx.conf"),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr;\nevents {}\n` +
      `http {\naccess_log off;\n${paths.join("\n")}\n${shipped}}\n`,
  );
  const nginx = spawn(PROGRAM, ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "pipe" });
  let said = "";
  nginx.stderr.pipe(process.stderr);
  nginx.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const listens = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      const end = (opened: boolean) => () => {
        socket.destroy();
        resolve(opened);
      };
      socket.once("connect", end(true)).once("error", end(false));
    });
  await until(async () => {
    if (nginx.exitCode !== null) throw new Error(said);
    return listens();
  });
  return {
    port,
    async stop() {
      const ended = once(nginx, "exit");
      nginx.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
