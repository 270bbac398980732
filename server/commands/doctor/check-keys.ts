/** Checks that the encryption keys can be read and decrypt all that is stored. */
import { reportBad, reportGood, type Finding } from "../../../cli/doctor/finding.ts";
import { countUnreadable, listKeyUse } from "../../credentials/stored/key-use.ts";
import { readEncryptionKeys } from "../../data-folder/encryption-keys.ts";
import type { Config } from "../../../ground/config.ts";
import type { Log } from "../../../ground/log.ts";
import { Sealer } from "../../../ground/seal.ts";
import { openPool } from "../../store/database/pool.ts";

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
