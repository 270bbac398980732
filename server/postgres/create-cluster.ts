/** Creates the embedded database in the data folder on the first start, atomically. */
import { randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../../ground/errors.ts";
import type { Binaries } from "./find-binaries.ts";
import { runTool } from "./run-tool.ts";
import { quoteDataArgument, type ServerUser } from "./server-user.ts";

export const ROLE = "busbar";
export const DATABASE = "busbar";

interface NewCluster {
  dataDir: string;
  /** `<dataDir>/postgres`; `open-cluster.ts` lists its content. */
  folder: string;
  binaries: Binaries;
  user: ServerUser;
}

/**
 * Creates the folder if it is missing and returns whether it did. Works in a sibling folder that is renamed when role, database
 * and password exist, so an interrupted start leaves only a folder that the next start removes.
 */
export async function createCluster({ dataDir, folder, binaries, user }: NewCluster): Promise<boolean> {
  await sweepUnfinished(dataDir);
  if (await lstat(folder).catch(() => undefined)) return false;
  const aside = join(dataDir, `${UNFINISHED}${randomBytes(8).toString("hex")}`);
  const data = join(aside, "data");
  const password = randomBytes(32).toString("base64url");
  // The server's user may enter the folder to reach its data; folder and password stay owned by root.
  await mkdir(aside);
  await chmod(aside, user ? 0o711 : 0o700);
  await mkdir(data, { mode: 0o700 });
  if (user) await chown(data, user.uid, user.gid);
  await initialise(data, binaries, user);
  await addRoleAndDatabase(data, binaries, user, password);
  await writeFile(join(data, "pg_hba.conf"), HBA);
  await writeFile(join(aside, "password"), `${password}\n`, { mode: 0o600, flush: true });
  await rename(aside, folder);
  const parent = await open(dataDir);
  await parent.sync().finally(() => parent.close());
  return true;
}

const UNFINISHED = "postgres.new-";

/** Allows only our role. The superuser has no line here and no password, so it works only in single-user mode. */
const HBA = `# Written by Busbar on the first start.\nlocal all ${ROLE} scram-sha-256\n`;

async function sweepUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(UNFINISHED)) continue;
    // An orphaned initdb may still be writing here; then removing fails, and the next start removes the rest.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/**
 * Runs initdb. The builtin C.UTF-8 locale depends neither on libc nor on ICU, so order and indexes stay valid when the folder
 * moves to another machine. initdb's fsync pass is kept: it takes 20 to 60 ms, and later checkpoints would not replace it.
 */
async function initialise(data: string, binaries: Binaries, user: ServerUser): Promise<void> {
  const args = ["-D", quoteDataArgument(data, user), "-U", "postgres", "--auth=trust", "--encoding=UTF8"];
  args.push("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions");
  const result = await runTool({ program: binaries.initdb, args, user, cwd: data });
  if (!result.ok) throw new StartError(`the embedded PostgreSQL could not be set up: ${result.stderr}`);
}

/**
 * Creates role and database. The role may create databases but is not a superuser, so that an SQL injection cannot run
 * programs. Single-user mode reads each statement up to an empty line (`-j`), reports errors on stderr only, and exits with 0.
 */
async function addRoleAndDatabase(data: string, binaries: Binaries, user: ServerUser, password: string) {
  const input = [
    `CREATE ROLE ${ROLE} LOGIN CREATEDB PASSWORD '${password}';`,
    `CREATE DATABASE ${DATABASE} OWNER ${ROLE};`,
    "",
  ].join("\n\n");
  const args = [
    "--single",
    "-D",
    quoteDataArgument(data, user),
    "-c",
    "log_checkpoints=off",
    "-j",
    "postgres",
  ];
  const result = await runTool({ program: binaries.postgres, args, user, cwd: data, input });
  if (result.ok && !/(ERROR|FATAL|PANIC):/.test(result.stderr)) return;
  throw new StartError(`the embedded PostgreSQL could not be set up: ${result.stderr}`);
}
