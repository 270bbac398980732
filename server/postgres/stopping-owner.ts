/** Lets the next start wait for the Busbar that is just stopping on its data folder, with its ports and its database. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { elapsedMs } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";

/** Longer than a stop may take: the delay for load balancers, 30 s for requests, and the end of the database. */
const LONGEST_STOP_MS = 120_000;
const LOOK_EVERY_MS = 100;
const STOPPING = "stopping";

/** Notes in the process file of the data folder that this process stops. Without such a file nobody waits. */
export async function markStopping(dataDir: string): Promise<void> {
  const file = getPidFile(dataDir);
  const { pid } = await readOwner(file);
  if (pid === process.pid) await writeFile(file, `${pid} ${STOPPING}\n`).catch(() => {});
}

/** Waits until the owner of the folder has stopped, if it is stopping. A running owner is refused by the claim of the folder. Rejects if `signal` ends the start. */
export async function awaitStopped(
  dataDir: string,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  const untilMs = elapsedMs() + LONGEST_STOP_MS;
  for (let isTold = false; elapsedMs() < untilMs; isTold = true) {
    const { pid, isStopping } = await readOwner(getPidFile(dataDir));
    // After a kill during a stop the file stays; in a container the next process has the same id.
    if (!isStopping || pid === process.pid || !isAlive(pid)) return;
    if (!isTold) log.info({ pid }, "waiting for the Busbar that stops on this data folder");
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
}

const getPidFile = (dataDir: string): string => join(dataDir, "busbar.pid");

async function readOwner(file: string): Promise<{ pid: number; isStopping: boolean }> {
  const [pid, state] = (await readFile(file, "utf8").catch(() => "")).trim().split(" ");
  return { pid: Number(pid), isStopping: state === STOPPING };
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // Of another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
