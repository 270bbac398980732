/** Decides as which system user PostgreSQL runs, because it refuses to run as root. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../ground/errors.ts";

/** undefined: as ourselves. */
export type ServerUser = { uid: number; gid: number } | undefined;

/**
 * The user for the server of this `postgres/` folder: ourselves, unless we are root. As root: whoever owns the data
 * already (a folder moved between machines keeps working), else the user `postgres`, else `nobody`.
 */
export async function findServerUser(folder: string): Promise<ServerUser> {
  const data = await stat(join(folder, "data")).catch(() => undefined);
  const ourUid = process.getuid?.() ?? 0;
  if (ourUid !== 0) {
    if (data && data.uid !== ourUid) {
      throw new StartError(
        `${folder} belongs to user ${data.uid}, Busbar runs as user ${ourUid}: ` +
          `run it as it ran before, or hand the folder over with chown -R ${ourUid} ${folder}`,
      );
    }
    return undefined;
  }
  if (process.platform !== "linux") {
    // Elsewhere there is no /proc/self/cwd (see dataArgument) to reach data below root's own folders.
    throw new StartError(
      "the embedded PostgreSQL cannot run as root here: use an ordinary user, or set DATABASE_URL",
    );
  }
  if (data && data.uid !== 0) return { uid: data.uid, gid: data.gid };
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  const user = findInPasswd(passwd, "postgres") ?? findInPasswd(passwd, "nobody");
  if (user) return user;
  throw new StartError(
    "PostgreSQL refuses to run as root and there is no user postgres or nobody: run Busbar as an ordinary user",
  );
}

function findInPasswd(passwd: string, name: string): ServerUser {
  for (const line of passwd.split("\n")) {
    const [login, , uid, gid] = line.split(":");
    if (login === name && Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

/**
 * The `-D` of a process that is started inside the folder `data`.
 *
 * As another user than root, PostgreSQL usually cannot walk to the data: `BUSBAR_DATA_DIR` is 0700 and may lie under
 * /root. But we, root, can start it inside the folder, and the kernel follows /proc/self/cwd straight there without
 * asking the parents. Every process of PostgreSQL stays in its data folder for life, so the name always means the
 * same place, and the data stays where the operator put it. (`-D .` would not do: it is made absolute at once.)
 */
export const dataArgument = (data: string, user: ServerUser): string => (user ? "/proc/self/cwd" : data);
