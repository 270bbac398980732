/** `busbar backup FILE` and `busbar restore FILE`: all rows of the database, or of all databases, as one compressed file, and back. */
import { createReadStream, createWriteStream } from "node:fs";
import { access, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { createGunzip, createGzip } from "node:zlib";
import type { Config } from "../../ground/config.ts";
import { StartError } from "../../ground/errors.ts";
import { Sealer } from "../../ground/seal.ts";
import { readEncryptionKeys } from "../data-folder/encryption-keys.ts";
import type { Log } from "../../ground/log.ts";
import { findRunningServer } from "../postgres/find-running-server.ts";
import { startEmbeddedPostgres } from "../postgres/start-embedded-postgres.ts";
import type { BackupEnd, BackupHead } from "../store/maintenance/backup-lines.ts";
import { listRegistered } from "../store/shards/list-registered.ts";
import type { ShardUrl } from "../store/maintenance/open-snapshots.ts";
import { openShardUrls } from "../store/shards/shard-registry.ts";
import { restoreBackup } from "../store/maintenance/read-backup.ts";
import { writeBackupLines } from "../store/maintenance/write-backup.ts";

interface Services {
  config: Config;
  log: Log;
}

/** Writes a backup of a database in use or not; the file appears when it is complete. Throws `StartError`. */
export async function writeBackup(deps: Services, file: string): Promise<void> {
  if (await fileExists(file)) throw new StartError(`${file} exists already; give another name`);
  const draft = `${file}.unfinished`;
  const running = deps.config.databaseUrl ? undefined : await findRunningServer(deps.config.dataDir);
  try {
    await onDatabase(deps, running, async (connectionString) => {
      const output = createWriteStream(draft, { mode: 0o600, flush: true });
      const shards = await listOpenShards(deps, connectionString);
      const urls = { connectionString, dataUrl: deps.config.dataDatabaseUrl, shards };
      await pipeline(Readable.from(writeBackupLines(urls)), createGzip(), output);
    });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw asStartError(error);
  }
}

/** Fills an empty database, or two, from a backup. Throws `StartError`. */
export async function restore(deps: Services, file: string): Promise<BackupHead & BackupEnd> {
  if (!(await fileExists(file))) throw new StartError(`there is no file ${file}`);
  await requireOwnKeys(deps.config);
  const { dataDatabaseUrl: dataUrl, replicationUrl } = deps.config;
  try {
    return await onDatabase(deps, undefined, (connectionString) =>
      pipeline(createReadStream(file), createGunzip(), (source) =>
        restoreBackup({ connectionString, dataUrl, replicationUrl }, splitLines(source), deps.log),
      ),
    );
  } catch (error) {
    throw asStartError(error);
  }
}

/** Lists the shards that may have customers. Only their addresses need the encryption keys. */
async function listOpenShards({ config }: Services, connectionString: string): Promise<ShardUrl[]> {
  const shards = await listRegistered(connectionString);
  if (shards.length === 0) return [];
  const readUrl = openShardUrls(new Sealer(await readEncryptionKeys(config)));
  return shards.map((shard) => {
    const url = readUrl(shard);
    if (url !== undefined) return { name: shard.name, url };
    throw new StartError(
      `the backup includes the shard ${shard.name}, and the key that encrypted its address is missing: set BUSBAR_ENCRYPTION_KEYS`,
    );
  });
}

/** Splits at line feeds only; Node's `readline` also does at characters that texts contain. */
async function* splitLines(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let begun: string[] = [];
  for await (const chunk of source) {
    const [first = "", ...more] = decoder.write(chunk).split("\n");
    begun.push(first);
    for (const part of more) {
      yield begun.join("");
      begun = [part];
    }
  }
  const last = begun.join("");
  if (last !== "") yield last;
}

/** Throws if the first start would generate keys: they would have the name of those that the backup needs. */
async function requireOwnKeys(config: Config): Promise<void> {
  if (config.encryptionKeys || config.encryptionKeysCommand) return;
  if (await fileExists(join(config.dataDir, "encryption-keys"))) return;
  throw new StartError(
    `copy the file encryption-keys that belongs to the backup into ${config.dataDir} first: credentials cannot be ` +
      "decrypted without it",
  );
}

/** Runs on the database of DATABASE_URL, on the embedded server that is `running`, or on one that is started for it. */
async function onDatabase<Result>(
  { config, log }: Services,
  running: string | undefined,
  run: (connectionString: string) => Promise<Result>,
): Promise<Result> {
  const known = config.databaseUrl ?? running;
  if (known !== undefined) return run(known);
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log, onExit: () => {} });
  try {
    return await run(postgres.connectionString);
  } finally {
    await postgres.stop();
  }
}

const fileExists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Errors of files and of compressed data are the operator's to mend. */
function asStartError(error: unknown): unknown {
  if (error instanceof StartError || !(error instanceof Error) || !("errno" in error)) return error;
  return new StartError(`the backup cannot be read or written: ${error.message}`, { cause: error });
}
