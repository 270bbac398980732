/** Chooses the system user for PostgreSQL, which refuses to run as root. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../../ground/errors.ts";

/** undefined: the user of this process. */
export type ServerUser = { uid: number; gid: number } | undefined;

/**
 * Returns the user for the server of this `postgres/` folder: our own user, unless we are root. If we are root, it is the
 * owner of the data, so that a folder from another machine works; without data it is `postgres` or else `nobody`.
 */
export async function findServerUser(folder: string): Promise<ServerUser> {
  const data = await stat(join(folder, "data")).catch(() => undefined);
  const ourUid = process.getuid?.() ?? 0;
  if (ourUid !== 0) {
    if (data && data.uid !== ourUid) {
      throw new StartError(
        `${folder} belongs to user ${data.uid}, Busbar runs as user ${ourUid}: ` +
          `run it as user ${data.uid}, or change the owner with chown -R ${ourUid} ${folder}`,
      );
    }
    return undefined;
  }
  if (process.platform !== "linux") {
    // Without /proc/self/cwd (see quoteDataArgument), data below folders of root cannot be reached.
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
 * Returns the `-D` argument of a process that is started inside the folder `data`.
 *
 * If we are root, PostgreSQL's user usually has no permission for the parent folders: `BUSBAR_DATA_DIR` is 0700 and may be
 * below /root. But root can start PostgreSQL inside the folder, and the kernel resolves /proc/self/cwd without checking the
 * parents. No process of PostgreSQL ever leaves its data folder, so the path always means the same folder, and the data
 * can stay where the operator put it. (`-D .` does not work: PostgreSQL makes it absolute at once.)
 */
export const quoteDataArgument = (data: string, user: ServerUser): string => (user ? "/proc/self/cwd" : data);
