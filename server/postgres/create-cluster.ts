/** Makes the database of a data folder on the first start: completely, or not at all. */
import { randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../ground/errors.ts";
import type { Binaries } from "./find-binaries.ts";
import { runTool } from "./run-tool.ts";
import { dataArgument, type ServerUser } from "./server-user.ts";

export const ROLE = "busbar";
export const DATABASE = "busbar";

export interface NewCluster {
  dataDir: string;
  /** `<dataDir>/postgres`, see `open-cluster.ts` for what is in it. */
  folder: string;
  binaries: Binaries;
  user: ServerUser;
}

/**
 * Makes the folder unless it is there; says whether it did. Everything happens in a sibling that is renamed when role,
 * database and password are in place, so a start killed half-way leaves nothing but a folder that the next one sweeps.
 */
export async function createCluster({ dataDir, folder, binaries, user }: NewCluster): Promise<boolean> {
  await sweepUnfinished(dataDir);
  if (await lstat(folder).catch(() => undefined)) return false;
  const aside = join(dataDir, `${UNFINISHED}${randomBytes(8).toString("hex")}`);
  const data = join(aside, "data");
  const password = randomBytes(32).toString("base64url");
  // The server's user may pass through to its data, but the folder and the password stay root's.
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

/** The only way in; the superuser has no password and no line, so it exists in single-user mode alone. */
const HBA = `# Written by Busbar on the first start.\nlocal all ${ROLE} scram-sha-256\n`;

async function sweepUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(UNFINISHED)) continue;
    // An orphaned initdb may still be writing here: it fails, and what it leaves goes the next time.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/**
 * The builtin C.UTF-8 locale depends neither on the machine's libc nor on ICU: the same order and the same indexes
 * wherever the folder is moved. initdb's own fsync pass is kept: 20 to 60 ms here, and later checkpoints would not
 * make up for it.
 */
async function initialise(data: string, binaries: Binaries, user: ServerUser): Promise<void> {
  const args = ["-D", dataArgument(data, user), "-U", "postgres", "--auth=trust", "--encoding=UTF8"];
  args.push("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions");
  const result = await runTool({ program: binaries.initdb, args, user, cwd: data });
  if (!result.ok) throw new StartError(`the embedded PostgreSQL could not be set up: ${result.stderr}`);
}

/**
 * An ordinary role that may create databases, not a superuser: a hole in our SQL is not to become a shell.
 * Single-user mode reads a statement up to an empty line (`-j`), tells faults on stderr only, and exits with 0.
 */
async function addRoleAndDatabase(data: string, binaries: Binaries, user: ServerUser, password: string) {
  const input = [
    `CREATE ROLE ${ROLE} LOGIN CREATEDB PASSWORD '${password}';`,
    `CREATE DATABASE ${DATABASE} OWNER ${ROLE};`,
    "",
  ].join("\n\n");
  const args = ["--single", "-D", dataArgument(data, user), "-c", "log_checkpoints=off", "-j", "postgres"];
  const result = await runTool({ program: binaries.postgres, args, user, cwd: data, input });
  if (result.ok && !/(ERROR|FATAL|PANIC):/.test(result.stderr)) return;
  throw new StartError(`the embedded PostgreSQL could not be set up: ${result.stderr}`);
}
