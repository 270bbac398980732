/** Checks that this version can start the database folder, and reads its password. */
import { lchown, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../../ground/errors.ts";
import type { Binaries } from "./find-binaries.ts";
import type { ServerUser } from "./server-user.ts";

/**
 * The folder `<dataDir>/postgres`; if we are root, everything but `data` is owned by root:
 *
 *     data/        PostgreSQL's data folder, and in it the socket and log/, a file for each day of the week
 *     password     of the role `busbar`, 0600
 *     startup.log  output of the server before it opened its log
 */
export interface Cluster {
  folder: string;
  data: string;
  password: string;
}

export async function openCluster(folder: string, binaries: Binaries, user: ServerUser): Promise<Cluster> {
  const data = join(folder, "data");
  const major = (await readFile(join(data, "PG_VERSION"), "utf8").catch(() => "")).trim();
  const password = (await readFile(join(folder, "password"), "utf8").catch(() => "")).trim();
  if (major === "" || password === "") {
    throw new StartError(
      `${folder} is not a complete database of Busbar (${major === "" ? "data/PG_VERSION" : "password"} is missing): ` +
        "restore it from a backup, or move it away to start with an empty one",
    );
  }
  if (major !== binaries.major) {
    throw new StartError(
      `${folder} was created by PostgreSQL ${major}, but this Busbar contains PostgreSQL ${binaries.major}: ` +
        "dump it with the older Busbar and restore the dump here",
    );
  }
  // A backup restored by root belongs to root.
  if (user && (await stat(data)).uid !== user.uid) await giveAll(data, user);
  return { folder, data: await realpath(data), password };
}

async function giveAll(data: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid);
  }
  await lchown(data, uid, gid); // Last: it is what the next start looks at.
}
