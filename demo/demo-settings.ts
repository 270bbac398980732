/** Settings of the demo: its own data folder, free ports, and the sandbox CRMs instead of real ones. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { StartError } from "../ground/errors.ts";

export interface DemoSettings {
  dataDir: string;
  port: number;
  proxyPort: number;
  sandboxPort: number;
  receiverPort: number;
  /** One sentence per port that is in use. */
  notes: string[];
}

type Environment = Record<string, string | undefined>;

/**
 * Reads only these variables; `DATABASE_URL` and keys of a real installation must not reach the demo. Throws `StartError` if
 * the data folder belongs to a Busbar that was not created by the demo.
 */
export async function readDemoSettings(env: Environment = process.env): Promise<DemoSettings> {
  const dataDir = resolve(env["BUSBAR_DATA_DIR"] || ".busbar-demo");
  await claimForDemo(dataDir);
  const notes: string[] = [];
  const port = await choosePort("BUSBAR_PORT", env["BUSBAR_PORT"] || "4000", notes);
  const proxyPort = await choosePort("BUSBAR_PROXY_PORT", env["BUSBAR_PROXY_PORT"] || "4001", notes);
  const free = env["BUSBAR_PORT"] === "0";
  const sandboxPort = await choosePort("the sandbox", free ? "0" : "4100", notes);
  // The sandbox takes the port behind its own for Salesforce's streams.
  const receiverPort = await choosePort("the webhook receiver", free ? "0" : "4102", notes);
  return { dataDir, port, proxyPort, sandboxPort, receiverPort, notes };
}

/** Returns the environment of Busbar; everything else keeps its default. */
export function buildDemoEnvironment(settings: DemoSettings, catalogPath: string): Environment {
  return {
    BUSBAR_DATA_DIR: settings.dataDir,
    BUSBAR_PORT: String(settings.port),
    BUSBAR_PROXY_PORT: String(settings.proxyPort),
    BUSBAR_CATALOG: catalogPath,
    BUSBAR_EGRESS_ALLOW: "127.0.0.1,localhost",
    // Shortens waiting: a minute of a policy lasts a second, an hour a minute.
    BUSBAR_MINUTE_MS: "1000",
    BUSBAR_RETRY_BASE_SECONDS: "0.2",
    BUSBAR_WEBHOOK_RETRY_SECONDS: "0.5,2,5",
  };
}

const MARKER = "made-by-demo";

/** Marks the folder as the demo's. It is kept between runs: each run adds a customer, and older data can still be inspected. */
async function claimForDemo(dataDir: string): Promise<void> {
  const marker = join(dataDir, MARKER);
  if (existsSync(marker)) return;
  if (existsSync(join(dataDir, "postgres")) || existsSync(join(dataDir, "bootstrap.json"))) {
    throw new StartError(
      `BUSBAR_DATA_DIR: ${dataDir} contains a Busbar that the demo did not create; choose another folder for the demo`,
    );
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(marker, "The demo may use this folder. Delete the whole folder to start over.\n");
}

async function choosePort(name: string, wanted: string, notes: string[]): Promise<number> {
  const port = Number(wanted);
  if (!/^\d{1,5}$/.test(wanted) || port > 65_535) {
    throw new StartError(`${name} must be a whole number from 0 to 65535, not "${wanted}"`);
  }
  if (port === 0 || (await isFree(port))) return port;
  notes.push(`Port ${port} (${name}) is in use by another program; using a free one instead.`);
  return 0;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once("error", () => settle(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => settle(true)));
  });
}
