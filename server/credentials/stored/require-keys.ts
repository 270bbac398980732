/** Refuses to start if an encryption key that stored values need is missing, or is another one under the same name. */
import { StartError } from "../../../ground/errors.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { findWrongKeys, listKeyUse } from "./key-use.ts";

/** Throws `StartError` that names the keys. Without this check, calls would fail customer by customer. */
export async function requireKeys({
  queries,
  sealer,
}: {
  queries: ControlQueries;
  sealer: Sealer;
}): Promise<void> {
  // A shard whose key is missing keeps the customers of no other one from being served: `follow-shards.ts` leaves it out.
  const uses = await listKeyUse(queries, sealer, { exceptTable: "shards" });
  const missing = uses.filter(({ state }) => state === "missing");
  if (missing.length > 0) {
    const names = missing.map(({ keyId, count }) => `"${keyId}" (${count} values)`).join(", ");
    throw new StartError(
      `BUSBAR_ENCRYPTION_KEYS lacks a key in use: ${names}. Add it again behind the others, run busbar keys rotate, then drop it`,
    );
  }
  const wrong = await findWrongKeys(queries, sealer, uses);
  if (wrong.length === 0) return;
  const names = wrong.map((keyId) => `"${keyId}"`).join(", ");
  throw new StartError(
    `BUSBAR_ENCRYPTION_KEYS has another key under the name ${names} than the one that encrypted the stored values. ` +
      "Set the right one, or give a new key a name of its own and keep the old one behind it",
  );
}
