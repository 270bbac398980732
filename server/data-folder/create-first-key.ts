/** Creates the first API key in an empty database, so that no crash loses it before it is in bootstrap.json. */
import { bootstrapIfEmpty, findBootstrap, type Bootstrap } from "../access/bootstrap.ts";
import {
  forgetBootstrapKey,
  readBootstrapFile,
  rememberBootstrapKey,
  writeBootstrapFile,
  type BootstrapFile,
} from "./data-folder.ts";
import type { Config } from "../../ground/config.ts";
import { newApiKey } from "../../ground/ids.ts";
import type { Database } from "../store/database/database.ts";

/**
 * Creates the first key in an empty database. The key is on disk before it is in the database, so no crash loses it; a data
 * folder that outlives its database keeps its key. Returns undefined if the key of this database is not known here.
 */
export async function createFirstKey(
  config: Pick<Config, "dataDir" | "bootstrapApiKey" | "bootstrapEmail">,
  database: Database,
): Promise<Bootstrap | undefined> {
  const known = await readBootstrapFile(config.dataDir);
  const apiKey =
    config.bootstrapApiKey ?? known?.apiKey ?? (await rememberBootstrapKey(config.dataDir, newApiKey()));
  const made = await bootstrapIfEmpty(database, { apiKey, email: config.bootstrapEmail });
  const bootstrap = made ?? (await findBootstrap(database, apiKey));
  if (!bootstrap) await forgetBootstrapKey(config.dataDir);
  return bootstrap;
}

/** Writes bootstrap.json, or updates its addresses. Called when the listeners are open. */
export async function keepBootstrapFile(
  config: Config,
  bootstrap: Bootstrap | undefined,
  urls: BootstrapFile["urls"],
): Promise<void> {
  if (bootstrap) await writeBootstrapFile(config.dataDir, { ...bootstrap, urls });
}
