/** The part of the drill that fills the disk of the embedded PostgreSQL, which is the data folder's too. */
import { setTimeout as wait } from "node:timers/promises";
import { startChildBusbar, type ChildBusbar } from "../../harness/child-busbar.ts";
import { runCli } from "../../harness/command-line.ts";
import { explainNoSmallDisk, openSmallDisk } from "../../harness/small-disk.ts";

/** What each surface says. */
type Said = Record<string, string>;

export interface FullDiskSight {
  seconds: number;
  said: Said;
}

/** Fills the disk of a Busbar, and returns what it says so many seconds later; undefined where no disk can be mounted. */
export async function fullDiskDrill(secondsAfter: readonly number[]): Promise<FullDiskSight[] | undefined> {
  const reason = explainNoSmallDisk();
  if (reason) {
    console.log(`full disk: not tried, ${reason}`);
    return undefined;
  }
  const disk = await openSmallDisk();
  try {
    const busbar = await startChildBusbar(disk.folder, {
      BUSBAR_DASHBOARD: "false",
      BUSBAR_METRICS: "true",
      BUSBAR_PORT: "0",
    });
    disk.fill();
    const brokenMs = Date.now();
    const sights: FullDiskSight[] = [];
    for (const seconds of secondsAfter) {
      await wait(Math.max(0, brokenMs + seconds * 1_000 - Date.now()));
      sights.push({ seconds, said: await askAll(busbar) });
    }
    await disk.free();
    await wait(5_000);
    console.log("5 s after there is space again", await askAll(busbar));
    busbar.signal("SIGTERM");
    await busbar.exited;
    return sights;
  } finally {
    await disk.close();
  }
}

/** Returns the surfaces that say that all is well. */
export const listGreenOfDisk = (sights: readonly FullDiskSight[]): string[] =>
  sights.flatMap(({ seconds, said }) =>
    Object.entries(said)
      .filter(([, words]) => !/disk of the database is full|^busbar_database_up 0$/.test(words))
      .map(([surface, words]) => `full disk, after ${seconds} s: ${surface} says "${words}"`),
  );

async function askAll(busbar: ChildBusbar): Promise<Said> {
  const get = async (path: string): Promise<string> => (await fetch(busbar.origin + path)).text();
  const env = { BUSBAR_URL: busbar.origin, BUSBAR_API_KEY: busbar.file.apiKey, BUSBAR_PROJECT: "default" };
  const run = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await runCli(args, { env });
    return `${stdout}${stderr}`;
  };
  const topic = () => `topic-${Date.now()}`;
  // Some blocks may have had space.
  let created = await busbar.inProject("POST", "/topics", { name: topic() });
  for (let index = 0; created.status === 201 && index < 1_000; index += 1)
    created = await busbar.inProject("POST", "/topics", { name: `${topic()}-${index}` });
  return {
    // The bar of the dashboard shows the same.
    readyz: JSON.parse(await get("/readyz")).detail ?? "ok",
    "api write": created.body.detail ?? "created",
    "cli write": (await run("create", "topic", `${topic()}-cli`)).trim(),
    doctor: await run("doctor"),
    metrics: /^busbar_database_up .*$/m.exec(await get("/metrics"))?.[0] ?? "",
  };
}
