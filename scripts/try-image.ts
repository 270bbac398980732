/**
 * `npm run try:image -- --database URL [--engine podman] [--image busbar:VERSION] [--option=--network=host]...`: runs
 * the built image as `deploy/kubernetes.yaml` does, on this machine's network: a container migrates, then two serve with a read-only root and no
 * capabilities. Connects a customer and writes through one, calls the proxy of the other, and stops both. Prints how long each
 * step took. The database must be empty.
 */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startSandbox } from "../sandbox/sandbox.ts";
import { openClient } from "../tests/harness/client.ts";
import { connectCustomer } from "../tests/harness/connect-customer.ts";
import { runTimed } from "./timed-step.ts";
import { createContainerEngine } from "./try-installs/container-engine.ts";
import { findProject, untilReady } from "./try-installs/first-call.ts";

const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../package.json"), "utf8"));
const { values } = parseArgs({
  options: {
    database: { type: "string" },
    engine: { type: "string", default: "podman" },
    image: { type: "string", default: `busbar:${version}` },
    option: { type: "string", multiple: true, default: [] },
  },
});
const PORTS = [4600, 4610];
const NAMES = PORTS.map((port) => `busbar-try-${port}`);

/** `--engine` may have options: `podman --root /srv/images`. */
const engine = createContainerEngine(values.engine);
if (!values.database) throw new Error("--database: the URL of an empty database that containers reach");
const folder = await mkdtemp(join(tmpdir(), "busbar-image-"));
const sandbox = await startSandbox({ port: 0 });
const environment = {
  DATABASE_URL: values.database,
  BUSBAR_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
  BUSBAR_BOOTSTRAP_API_KEY: `bb_${randomBytes(24).toString("hex")}`,
  BUSBAR_CATALOG: "/catalog.json",
  BUSBAR_EGRESS_ALLOW: "127.0.0.1",
};
try {
  // The user of the image reads it.
  await chmod(folder, 0o755);
  // Like the volume of a pod: owned by root, writable by everybody.
  await mkdir(join(folder, "data"));
  await chmod(join(folder, "data"), 0o777);
  await writeFile(join(folder, "catalog.json"), JSON.stringify(sandbox.catalog()));
  await tryImage();
} finally {
  await engine("rm", "--force", ...NAMES).catch(() => {});
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
}

async function tryImage(): Promise<void> {
  console.log((await engine("--version")).trim());
  await runTimed("migrate", () => engine("run", "--rm", ...listOptions({}), values.image, "migrate"));
  await runTimed("start two containers", () => Promise.all(PORTS.map(start)));
  const [api = 0, other = 0] = PORTS;
  const project = await findProject(`http://127.0.0.1:${api}`, environment.BUSBAR_BOOTSTRAP_API_KEY);
  const urls = () => ({ base: `http://127.0.0.1:${api}`, proxy: `http://127.0.0.1:${other + 1}` });
  const client = openClient({ apiKey: environment.BUSBAR_BOOTSTRAP_API_KEY, projectId: project, urls });
  const customer = await runTimed("connect and install a customer", () =>
    connectCustomer({ ...client, sandbox }, { provider: "hubspot", objects: ["companies"] }),
  );
  await runTimed("write a record", () =>
    customer.succeed("companies", { type: "create", record: { name: "Northwind" } }),
  );
  const { status } = await runTimed("call the other's proxy", () =>
    customer.proxied("/crm/v3/objects/companies"),
  );
  require(status === 200, `the proxy answered ${status}`);
  for (const path of ["/", "/docs", "/openapi.json", "/readyz"]) {
    const answer = await fetch(`http://127.0.0.1:${other}${path}`, { headers: { accept: "text/html" } });
    require(answer.status === 200, `${path} answered ${answer.status}`);
  }
  await runTimed("stop", () => engine("stop", "--time", "40", ...NAMES));
  for (const name of NAMES) {
    const code = (await engine("inspect", "--format", "{{.State.ExitCode}}", name)).trim();
    require(code === "0", `${name} exited with ${code}: ${await engine("logs", name)}`);
  }
}

async function start(port: number): Promise<void> {
  const ports = {
    BUSBAR_PORT: String(port),
    BUSBAR_PROXY_PORT: String(port + 1),
    BUSBAR_DATA_DIR: `/data/${port}`,
  };
  const name = `busbar-try-${port}`;
  await engine("run", "--detach", "--name", name, ...listOptions(ports), values.image);
  await untilReady(`http://127.0.0.1:${port}`).catch(async (error: unknown) => {
    throw new Error(`${name}: ${await engine("logs", name)}`, { cause: error });
  });
}

/** The same restrictions as in `deploy/kubernetes.yaml`. */
function listOptions(more: Record<string, string>): string[] {
  const variables = Object.entries({ ...environment, ...more });
  return [
    "--network=host",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--tmpfs=/tmp",
    `--volume=${folder}/data:/data`,
    `--volume=${folder}/catalog.json:/catalog.json:ro`,
    ...values.option,
    ...variables.flatMap(([name, value]) => ["--env", `${name}=${value}`]),
  ];
}

function require(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}
