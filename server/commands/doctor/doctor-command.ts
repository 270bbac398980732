/** `busbar doctor --server`: checks the configuration, the machine and all that this Busbar depends on, without changing it. */
import { type Finding, reportBad, reportGood } from "../../../cli/doctor/finding.ts";
import type { Config } from "../../../ground/config.ts";
import { StartError } from "../../../ground/errors.ts";
import { createLog, type Log } from "../../../ground/log.ts";
import { readEncryptionKeys } from "../../data-folder/encryption-keys.ts";
import { Sealer } from "../../../ground/seal.ts";
import { openPool } from "../../store/database/pool.ts";
import { checkShards } from "./check-shards.ts";
import { openShardUrls } from "../../store/shards/shard-registry.ts";
import { checkAddresses } from "./check-addresses.ts";
import { checkCopies } from "./check-copies.ts";
import { checkDatabase } from "./check-database.ts";
import { checkMachine } from "./check-machine.ts";
import { countUnreadable, listKeyUse } from "../../credentials/stored/key-use.ts";

/** `read` throws a `StartError` for a configuration with which Busbar does not start: that is a finding, too. */
export async function runDoctor(read: () => Config): Promise<Finding[]> {
  let config: Config;
  try {
    config = read();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [reportBad("configuration", error.message, "docs/guide/configuration.md lists the variables.")];
  }
  return [
    checkProduction(config),
    ...(await checkMachine(config)),
    ...(await checkStore(config)),
    ...(await checkAddresses(config)),
  ];
}

function checkProduction({ publicUrl }: Config): Finding {
  const check = "configuration";
  if (publicUrl?.startsWith("http:") && !/^http:\/\/(localhost|127\.|\[::1\])/.test(publicUrl)) {
    return reportBad(
      check,
      "BUSBAR_PUBLIC_URL is not https",
      "Terminate TLS in a reverse proxy, and name its address.",
    );
  }
  return reportGood(check, "every variable has a possible value");
}

/** The embedded database belongs to the server that runs it, so only your own one is looked into. */
async function checkStore(config: Config): Promise<Finding[]> {
  const { databaseUrl } = config;
  if (databaseUrl === undefined) return [reportGood("database", "embedded, in the data folder")];
  const { findings, facts } = await checkDatabase(config, databaseUrl);
  if (!facts) return findings;
  const isMigrated = facts.missingMigrations.length === 0;
  const keys = checkKeys({ config, log: createLog("silent") }, databaseUrl, isMigrated);
  return [
    ...findings,
    ...(await keys.catch(toKeysFinding)),
    ...(await checkDataStore(config, databaseUrl)),
    ...(isMigrated ? await checkOtherShards(config, databaseUrl) : []),
  ];
}

/** Checks the shards beside the main one. */
async function checkOtherShards(config: Config, connectionString: string): Promise<Finding[]> {
  const keys = await readEncryptionKeys(config).catch(() => undefined);
  // That is a finding of its own.
  if (!keys) return [];
  const log = createLog("silent");
  const { queries } = openPool({ connectionString, applicationName: "busbar doctor", log, size: 1 });
  try {
    const readUrl = openShardUrls(new Sealer(keys));
    return await checkShards({
      control: queries,
      connectionString,
      readUrl,
      poolSize: config.databaseConnections,
    });
  } finally {
    await queries.destroy();
  }
}

/** Checks the second database like the first, and that both belong together. */
async function checkDataStore(config: Config, databaseUrl: string): Promise<Finding[]> {
  const { dataDatabaseUrl } = config;
  if (dataDatabaseUrl === undefined) return [];
  const { findings, facts } = await checkDatabase(config, dataDatabaseUrl, "BUSBAR_DATA_DATABASE_URL");
  const named = findings.map((finding) => ({ ...finding, check: `data database: ${finding.check}` }));
  return facts ? [...named, ...(await checkCopies(databaseUrl, dataDatabaseUrl))] : named;
}

function toKeysFinding(error: unknown): Finding[] {
  if (!(error instanceof StartError)) throw error;
  const cure = "Check BUSBAR_ENCRYPTION_KEYS, or the program of BUSBAR_ENCRYPTION_KEYS_COMMAND.";
  return [reportBad("encryption keys", error.message, cure)];
}

/** `isMigrated`: before it, tables may be missing. */
export async function checkKeys(
  { config, log }: { config: Config; log: Log },
  connectionString: string,
  isMigrated: boolean,
): Promise<Finding[]> {
  const sealer = new Sealer(await readEncryptionKeys(config));
  if (!isMigrated)
    return [
      reportGood("encryption keys", "readable; stored values are checked once the database is migrated"),
    ];
  const { queries } = openPool({ connectionString, applicationName: "busbar doctor", log, size: 1 });
  try {
    const uses = await listKeyUse(queries, sealer);
    const listUses = (state: string) => uses.filter((use) => use.state === state && use.count > 0);
    const faults = listUses("missing").map(({ keyId, count }) =>
      reportBad(
        "encryption keys",
        `the key "${keyId}", with which ${listValues(count)} encrypted, is missing`,
        "Add it to BUSBAR_ENCRYPTION_KEYS from your backup: without it, the customers must connect again.",
      ),
    );
    for (const [keyId, count] of await countUnreadable(queries, sealer)) {
      const detail = `${listValues(count)} encrypted under the name "${keyId}", and the key of this name does not decrypt ${count === 1 ? "it" : "them"}`;
      const cure = `Set the key that had the name "${keyId}" when they were stored; with another key, the customers must connect again.`;
      faults.push(reportBad("encryption keys", detail, cure));
    }
    if (faults.length > 0) return faults;
    const values = uses.reduce((sum, { count }) => sum + count, 0);
    const old = listUses("old").map(({ keyId }) => `"${keyId}"`);
    const rest = old.length === 0 ? "" : `; ${old.join(", ")} still needed until busbar keys rotate`;
    return [
      reportGood("encryption keys", `${values} value${values === 1 ? "" : "s"} can be decrypted${rest}`),
    ];
  } finally {
    await queries.destroy();
  }
}

const listValues = (count: number): string => (count === 1 ? "a value is" : `${count} values are`);
