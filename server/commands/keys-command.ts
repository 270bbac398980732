/** `busbar keys status | rotate`: shows which encryption keys are in use, or re-encrypts everything with the first one. */
import { withDatabase } from "./command-database.ts";
import { countUnreadable, listKeyUse, type KeyUse } from "../credentials/stored/key-use.ts";
import { rotateKeys } from "../credentials/stored/rotate-keys.ts";
import { readEncryptionKeys } from "../data-folder/encryption-keys.ts";
import type { Config } from "../../ground/config.ts";
import { UsageError } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import { Sealer } from "../../ground/seal.ts";

/** Prints one line per key, and one for values that it does not decrypt. Returns whether the current key decrypts every value. */
export async function runKeysCommand(
  action: string | undefined,
  deps: { config: Config; log: Log; print: (line: string) => void },
): Promise<boolean> {
  if (action !== "status" && action !== "rotate") {
    throw new UsageError("busbar keys takes status or rotate (busbar help)");
  }
  const { config, log, print } = deps;
  const sealer = new Sealer(await readEncryptionKeys(config));
  return withDatabase({ config, log }, async ({ control: queries }) => {
    if (action === "rotate") print(`re-encrypted: ${await rotateKeys({ queries, sealer, log })}`);
    const uses = await listKeyUse(queries, sealer);
    const unreadable = await countUnreadable(queries, sealer);
    for (const use of uses) print(describe(use));
    for (const [keyId, count] of unreadable) print(`${keyId}  ${listValues(count)}  ${UNREADABLE}`);
    return unreadable.size === 0 && uses.every(({ state, count }) => state === "current" || count === 0);
  });
}

const STATES: Record<KeyUse["state"], string> = {
  current: "current: encrypts new values",
  old: "old, still needed; busbar keys rotate re-encrypts its values with the current key",
  missing: "MISSING: add it to BUSBAR_ENCRYPTION_KEYS, or its values are lost",
};

const UNREADABLE =
  "CANNOT BE DECRYPTED: the key of this name is not the one that encrypted them, or they are damaged";

const describe = ({ keyId, count, state }: KeyUse): string =>
  `${keyId}  ${listValues(count)}  ${STATES[state]}`;

const listValues = (count: number): string => `${count} value${count === 1 ? "" : "s"}`;
