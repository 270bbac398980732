/** The ways to install that `npm run try:installs` tries. Each begins with an empty folder. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createDatabase, dropDatabase } from "../../tests/harness/postgres.ts";
import { createContainerEngine } from "./container-engine.ts";
import { findProject, untilReady, type Address } from "./first-call.ts";
import { startInstalled } from "./installed-busbar.ts";

export interface Tools {
  /** The checkout, with the package in `dist`. */
  root: string;
  archive: string;
  /** A server on which databases may be created; containers reach it on the network of this machine. */
  database: string | undefined;
  /** Command that runs podman, with options of this machine. */
  podman: string;
  docker: string;
  /** Options of `podman build`. */
  buildOptions: string[];
  /** Options of `podman run`. */
  runOptions: string[];
  /** An image that boots systemd, with Node.js, npm and curl. */
  systemdImage: string | undefined;
}

interface Started {
  address: Address;
  stop(): Promise<unknown>;
}

export interface Way {
  name: string;
  /** What this machine lacks for it. */
  missing?: (tools: Tools) => Promise<string | undefined>;
  /** `folder` has `catalog.json`. */
  install(folder: string, tools: Tools): Promise<void>;
  start(folder: string, tools: Tools): Promise<Started>;
}

const run = promisify(execFile);
/** Ports of the containers that use this machine's network. */
const PORT = 4700;
const ORIGIN = `http://127.0.0.1:${PORT}`;
const PROXY = `http://127.0.0.1:${PORT + 1}`;
const HOST = "host.docker.internal";
/** Not the name of the folder: its containers and volumes could be those of a Busbar that somebody uses. */
const COMPOSE = ["compose", "--project-name", "busbar-try"];

export const WAYS: Way[] = [
  {
    name: "checkout, embedded PostgreSQL",
    async install(folder, { root }) {
      await run("git", ["clone", "--quiet", root, join(folder, "busbar")]);
      await run("npm", ["ci"], { cwd: join(folder, "busbar") });
    },
    start: (folder) => startProcess(folder, ["npm", "start"], {}, join(folder, "busbar")),
  },
  {
    name: "package, embedded PostgreSQL",
    install: (folder, { archive }) => runNpmInstall(folder, archive, []),
    start: (folder) => startProcess(folder, ["npx", "busbar", "start"]),
  },
  {
    name: "package, own PostgreSQL",
    missing: withoutDatabase,
    install: (folder, { archive }) => runNpmInstall(folder, archive, ["--omit=optional"]),
    async start(folder, tools) {
      const { variables, drop } = await createOwnDatabase(tools);
      const started = await startProcess(folder, ["npx", "busbar", "start"], variables);
      return { ...started, stop: () => started.stop().finally(drop) };
    },
  },
  {
    name: "container image, own PostgreSQL",
    missing: async (tools) =>
      (await withoutDatabase(tools)) ?? (await readRefusal(createContainerEngine(tools.podman)("--version"))),
    async install(_folder, { root, podman, buildOptions }) {
      const engine = createContainerEngine(podman, root);
      await engine(
        "build",
        "--no-cache",
        ...buildOptions,
        "-f",
        "deploy/Containerfile",
        "-t",
        "busbar-try",
        ".",
      );
    },
    async start(folder, tools) {
      const engine = createContainerEngine(tools.podman);
      const { variables, drop } = await createOwnDatabase(tools);
      const apiKey = `bb_${randomBytes(24).toString("hex")}`;
      const environment = { ...variables, ...listPorts(), BUSBAR_BOOTSTRAP_API_KEY: apiKey };
      const env = Object.entries(environment).map(([name, value]) => `--env=${name}=${value}`);
      const catalog = `--volume=${join(folder, "catalog.json")}:/catalog.json:ro`;
      const options = [
        "--detach",
        "--name=busbar-try",
        "--network=host",
        ...tools.runOptions,
        catalog,
        ...env,
      ];
      await engine("run", ...options, "busbar-try");
      const stop = () => engine("rm", "--force", "--time=40", "busbar-try").finally(drop);
      await waitReadyOr(stop);
      return {
        address: { apiKey, projectId: await findProject(ORIGIN, apiKey), base: ORIGIN, proxy: PROXY },
        stop,
      };
    },
  },
  {
    name: "compose",
    missing: ({ docker }) => readRefusal(createContainerEngine(docker)("compose", "version")),
    async install(folder, { root, docker }) {
      await run("git", ["clone", "--quiet", root, join(folder, "busbar")]);
      await cp(join(root, "dist"), join(folder, "busbar/dist"), { recursive: true });
      const deploy = join(folder, "busbar/deploy");
      const secrets = [
        `POSTGRES_PASSWORD=${randomBytes(24).toString("hex")}`,
        `BUSBAR_ENCRYPTION_KEYS=k1:${randomBytes(32).toString("base64")}`,
      ];
      await writeFile(join(deploy, ".env"), `${secrets.join("\n")}\n`);
      // Only so that it reaches the simulated provider.
      await writeFile(join(deploy, "compose.override.yaml"), readOverride(folder));
      await createContainerEngine(docker, deploy)(...COMPOSE, "build", "--no-cache");
    },
    async start(folder, { docker }) {
      const engine = createContainerEngine(docker, join(folder, "busbar/deploy"));
      const stop = () => engine(...COMPOSE, "down", "--volumes", "--rmi", "local");
      try {
        await engine(...COMPOSE, "up", "--detach");
        await untilReady("http://localhost:4000");
        const file = await engine(...COMPOSE, "exec", "-T", "busbar", "cat", "/data/bootstrap.json");
        return { address: readAddress(JSON.parse(file)), stop };
      } catch (error) {
        const logs = await engine(...COMPOSE, "logs", "--tail=20");
        await stop();
        throw new Error(logs, { cause: error });
      }
    },
  },
  {
    name: "systemd unit, embedded PostgreSQL",
    missing: async ({ podman, systemdImage }) =>
      systemdImage ? readRefusal(createContainerEngine(podman)("--version")) : "--systemd-image",
    async install(folder, tools) {
      const engine = createContainerEngine(tools.podman);
      const options = [
        "--detach",
        "--name=busbar-systemd",
        "--systemd=always",
        "--privileged",
        "--network=host",
      ];
      await engine("run", ...options, ...tools.runOptions, tools.systemdImage ?? "");
      const variables = Object.entries({ ...listPorts(), BUSBAR_CATALOG: "/etc/busbar-catalog.json" });
      await writeFile(
        join(folder, "busbar.env"),
        variables.map(([name, value]) => `${name}=${value}\n`).join(""),
      );
      const files = {
        [tools.archive]: "/root/busbar.tgz",
        [join(folder, "busbar.env")]: "/root/busbar.env",
        [join(folder, "catalog.json")]: "/etc/busbar-catalog.json",
        [join(tools.root, "deploy/busbar.service")]: "/etc/systemd/system/busbar.service",
      };
      for (const [from, to] of Object.entries(files)) await engine("cp", from, `busbar-systemd:${to}`);
      const steps = [
        "npm install --global /root/busbar.tgz",
        "useradd --system --home-dir /var/lib/busbar busbar",
        "install -m 640 -g busbar /root/busbar.env /etc/busbar.env",
      ];
      await engine("exec", "busbar-systemd", "sh", "-ec", steps.join("\n"));
    },
    async start(_folder, tools) {
      const engine = createContainerEngine(tools.podman);
      const stop = () => engine("rm", "--force", "--time=60", "busbar-systemd");
      await engine(
        "exec",
        "busbar-systemd",
        "sh",
        "-ec",
        "systemctl daemon-reload; systemctl enable --now busbar",
      );
      await waitReadyOr(stop);
      const file = await engine("exec", "busbar-systemd", "cat", "/var/lib/busbar/bootstrap.json");
      return { address: readAddress(JSON.parse(file)), stop };
    },
  },
];

async function startProcess(
  folder: string,
  command: string[],
  env: Record<string, string> = {},
  cwd = folder,
): Promise<Started> {
  const { bootstrap, stop } = await startInstalled(folder, command, env, cwd);
  return { address: readAddress(bootstrap), stop };
}

interface Bootstrap {
  apiKey: string;
  projectId: string;
  urls: { base: string; proxy: string };
}

const readAddress = ({ apiKey, projectId, urls: { base, proxy } }: Bootstrap): Address => ({
  apiKey,
  projectId,
  base,
  proxy,
});

async function runNpmInstall(folder: string, archive: string, options: string[]): Promise<void> {
  await run("npm", ["init", "--yes"], { cwd: folder });
  await run("npm", ["install", "--ignore-scripts", ...options, archive], { cwd: folder });
}

async function createOwnDatabase({ database = "" }: Tools) {
  const name = `busbar_try_${randomBytes(4).toString("hex")}`;
  const variables = {
    DATABASE_URL: await createDatabase(database, name),
    BUSBAR_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
  };
  return { variables, drop: () => dropDatabase(database, name) };
}

const listPorts = () => ({
  BUSBAR_PORT: String(PORT),
  BUSBAR_PROXY_PORT: String(PORT + 1),
  BUSBAR_CATALOG: "/catalog.json",
  BUSBAR_EGRESS_ALLOW: "127.0.0.1",
});

const readOverride = (folder: string): string => `
services:
  busbar:
    environment: { BUSBAR_CATALOG: /catalog.json, BUSBAR_EGRESS_ALLOW: ${HOST} }
    extra_hosts: ["${HOST}:host-gateway"]
    volumes: ["${join(folder, "catalog-of-containers.json")}:/catalog.json:ro"]
`;

/** Writes the catalog for programs on this machine, and that for containers with a network of their own. */
export async function writeCatalogs(folder: string, catalog: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = JSON.stringify(catalog);
  const options = { mode: 0o644 };
  await writeFile(join(folder, "catalog.json"), text, options);
  await writeFile(join(folder, "catalog-of-containers.json"), text.replaceAll("127.0.0.1", HOST), options);
}

async function waitReadyOr(stop: () => Promise<unknown>): Promise<void> {
  await untilReady(ORIGIN).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
}

async function withoutDatabase({ database }: Tools): Promise<string | undefined> {
  return database ? undefined : "--database";
}

/** Returns the first line of the error if the call fails. */
const readRefusal = (call: Promise<string>): Promise<string | undefined> =>
  call.then(
    () => undefined,
    (error: Error) => error.message.split("\n")[0],
  );
