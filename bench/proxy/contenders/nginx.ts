/** Nginx with keep-alive on both sides and one replaced header; undefined if it is not installed. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const hasNginx = (): boolean => spawnSync("nginx", ["-v"]).status === 0;

/** Starts nginx in the foreground; `prefix` is the command that pins it to a core. */
export async function startNginx(
  origin: string,
  processes: number,
  prefix: string[],
): Promise<{ port: number; process: ChildProcess }> {
  const port = await findFreePort();
  const folder = await mkdtemp(join(tmpdir(), "busbar-bench-nginx-"));
  const path = join(folder, "nginx.conf");
  await writeFile(path, writeConfiguration(folder, port, processes, new URL(origin).host));
  const [command = "nginx", ...args] = [...prefix, "nginx", "-c", path, "-p", folder];
  const child = spawn(command, args, { stdio: "ignore" });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { port, process: child };
}

const writeConfiguration = (folder: string, port: number, processes: number, upstream: string): string => `
daemon off;
worker_processes ${processes};
pid ${folder}/nginx.pid;
error_log /dev/null crit;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 100000000;
  client_body_buffer_size 64k;
  upstream provider { server ${upstream}; keepalive 128; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Api-Key "";
      proxy_set_header Authorization "Bearer provider-token";
    }
  }
}
`;

export function findFreePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer();
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    server.close(() => resolve(port));
  });
  return promise;
}
