/** The part of the drill that fills the disk of the embedded PostgreSQL, which is the data folder's too. */
import { setTimeout as wait } from "node:timers/promises";
import { startChildBusbar, type ChildBusbar } from "../../harness/child-busbar.ts";
import { runCli } from "../../harness/command-line.ts";
import { explainNoSmallDisk, openSmallDisk } from "../../harness/small-disk.ts";

/** What each surface says. */
type Said = Record<string, string>;

interface FullDiskReport {
  seconds: number;
  said: Said;
  /** A write that was told as done, and so must be there after a restart: some blocks may have had space. */
  acknowledged: string[];
}

const ENV = { BUSBAR_DASHBOARD: "false", BUSBAR_METRICS: "true", BUSBAR_PORT: "0" };

/** Fills the disk of a Busbar, and returns what it says so many seconds later; undefined where no disk can be mounted. */
export async function runFullDiskDrill(
  secondsAfter: readonly number[],
): Promise<FullDiskReport[] | undefined> {
  const reason = explainNoSmallDisk();
  if (reason) {
    console.log(`full disk: not tried, ${reason}`);
    return undefined;
  }
  const disk = await openSmallDisk();
  try {
    const busbar = await startChildBusbar(disk.folder, ENV);
    disk.fill();
    const brokenMs = Date.now();
    const sights: FullDiskReport[] = [];
    for (const seconds of secondsAfter) {
      await wait(Math.max(0, brokenMs + seconds * 1_000 - Date.now()));
      sights.push({ seconds, ...(await askAll(busbar)) });
    }
    await disk.free();
    await wait(5_000);
    const later = await askAll(busbar, 1);
    console.log("5 s after there is space again", later.said);
    busbar.signal("SIGTERM");
    await busbar.exited;
    const stored = await listTopics(disk.folder);
    for (const sight of sights) {
      const lost = sight.acknowledged.filter((name) => !stored.has(name));
      if (lost.length > 0) sight.said["after a restart"] = `lost what was told as done: ${lost.join(", ")}`;
    }
    return sights;
  } finally {
    await disk.close();
  }
}

/** Returns the surfaces that say that all is well, and the writes that were told as done and are not there. */
export const listGreenOfDisk = (sights: readonly FullDiskReport[]): string[] =>
  sights.flatMap(({ seconds, said }) =>
    Object.entries(said)
      .filter(([, words]) => !/disk of the database is full|^busbar_database_up 0$/.test(words))
      .map(([surface, words]) => `full disk, after ${seconds} s: ${surface} says "${words}"`),
  );

/** Returns the names of the topics that a new start finds. */
async function listTopics(folder: string): Promise<Set<string>> {
  const busbar = await startChildBusbar(folder, ENV);
  const { body } = await busbar.inProject("GET", "/topics");
  busbar.signal("SIGTERM");
  await busbar.exited;
  return new Set(body.map(({ name }: { name: string }) => name));
}

async function askAll(busbar: ChildBusbar, mostWrites = 1_000): Promise<Omit<FullDiskReport, "seconds">> {
  const get = async (path: string): Promise<string> => (await fetch(busbar.origin + path)).text();
  const env = { BUSBAR_URL: busbar.origin, BUSBAR_API_KEY: busbar.file.apiKey, BUSBAR_PROJECT: "default" };
  const run = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await runCli(args, { env });
    return `${stdout}${stderr}`;
  };
  const acknowledged: string[] = [];
  /** Writes until it is refused. */
  const untilRefused = async (write: (name: string) => Promise<{ isDone: boolean; words: string }>) => {
    for (let index = 0; index < mostWrites; index += 1) {
      const name = `topic-${Date.now()}-${index}`;
      const { isDone, words } = await write(name);
      if (!isDone) return words;
      acknowledged.push(name);
    }
    return "created";
  };
  const apiWrite = await untilRefused(async (name) => {
    const { status, body } = await busbar.inProject("POST", "/topics", { name });
    return { isDone: status === 201, words: body.detail };
  });
  const cliWrite = await untilRefused(async (name) => {
    const { code, stdout, stderr } = await runCli(["create", "topic", name], { env });
    return { isDone: code === 0, words: `${stdout}${stderr}`.trim() };
  });
  const said = {
    // The bar of the dashboard shows the same.
    readyz: JSON.parse(await get("/readyz")).detail ?? "ok",
    "api write": apiWrite,
    "cli write": cliWrite,
    doctor: await run("doctor"),
    metrics: /^busbar_database_up .*$/m.exec(await get("/metrics"))?.[0] ?? "",
  };
  return { said, acknowledged };
}
