/** Refuses to start if an encryption key is missing that stored values need. */
import { StartError } from "../../ground/errors.ts";
import type { Sealer } from "../../ground/seal.ts";
import type { Queries } from "../../store/database.ts";
import { listKeyUse } from "./rotate-keys.ts";

/** Throws `StartError` that names the missing keys. Without this check, calls would fail customer by customer. */
export async function requireKeys({ queries, sealer }: { queries: Queries; sealer: Sealer }): Promise<void> {
  const missing = (await listKeyUse(queries, sealer)).filter(({ state }) => state === "missing");
  if (missing.length === 0) return;
  const names = missing.map(({ keyId, count }) => `"${keyId}" (${count} values)`).join(", ");
  throw new StartError(
    `BUSBAR_ENCRYPTION_KEYS lacks a key in use: ${names}. Add it again behind the others, run busbar keys rotate, then drop it`,
  );
}
