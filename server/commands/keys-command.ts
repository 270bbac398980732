/** `busbar keys status | rotate`: which encryption keys are in use, and moving everything to the first one. */
import { withDatabase } from "./command-database.ts";
import { listKeyUse, rotateKeys, type KeyUse } from "../credentials/stored/rotate-keys.ts";
import { generatedKeys } from "../data-folder/data-folder.ts";
import type { Config } from "../ground/config.ts";
import { StartError, UsageError } from "../ground/errors.ts";
import type { Log } from "../ground/log.ts";
import { Sealer } from "../ground/seal.ts";

/** Prints one line per key through `print`. Whether nothing is left that the current key has not sealed. */
export async function runKeysCommand(
  action: string | undefined,
  on: { config: Config; log: Log; print: (line: string) => void },
): Promise<boolean> {
  if (action !== "status" && action !== "rotate") {
    throw new UsageError("busbar keys takes status or rotate (busbar help)");
  }
  const { config, log, print } = on;
  const sealer = new Sealer(config.encryptionKeys ?? (await generatedKeys(config.dataDir)));
  return withDatabase({ config, log }, async ({ queries }) => {
    if (action === "rotate") print(`sealed anew: ${await rotateKeys({ queries, sealer, log })}`);
    const uses = await listKeyUse(queries, sealer);
    for (const use of uses) print(describe(use));
    return uses.every(({ state, count }) => state === "current" || count === 0);
  });
}

const STATES: Record<KeyUse["state"], string> = {
  current: "seals everything new",
  old: "still needed; busbar keys rotate moves its values to the current key",
  missing: "MISSING: add it to BUSBAR_ENCRYPTION_KEYS, or its values are lost",
};

const describe = ({ keyId, count, state }: KeyUse): string =>
  `${keyId}  ${count} value${count === 1 ? "" : "s"}  ${STATES[state]}`;

/** A start that could not open what is stored would fail customer by customer; so it fails at once. */
export async function requireKeys(on: {
  queries: Parameters<typeof listKeyUse>[0];
  sealer: Sealer;
}): Promise<void> {
  const missing = (await listKeyUse(on.queries, on.sealer)).filter(({ state }) => state === "missing");
  if (missing.length === 0) return;
  const names = missing.map(({ keyId, count }) => `"${keyId}" (${count} values)`).join(", ");
  throw new StartError(
    `BUSBAR_ENCRYPTION_KEYS lacks a key in use: ${names}. Add it again behind the others, run busbar keys rotate, then drop it`,
  );
}
