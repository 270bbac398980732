/** The first API key: made with an empty database, never lost between it and bootstrap.json. */
import { bootstrapIfEmpty, findBootstrap, type Bootstrap } from "../access/bootstrap.ts";
import {
  readBootstrapFile,
  rememberBootstrapKey,
  writeBootstrapFile,
  type BootstrapFile,
} from "./data-folder.ts";
import type { Config } from "../ground/config.ts";
import { newApiKey } from "../ground/ids.ts";
import type { Database } from "../store/database.ts";

/**
 * Gives an empty database its first key. The key is on disk before the database knows it, so no crash loses it; a
 * data folder that outlived its database keeps its key. Undefined when the key of this database is not known here.
 */
export async function firstKey(config: Config, database: Database): Promise<Bootstrap | undefined> {
  const known = await readBootstrapFile(config.dataDir);
  const apiKey =
    config.bootstrapApiKey ?? known?.apiKey ?? (await rememberBootstrapKey(config.dataDir, newApiKey()));
  const made = await bootstrapIfEmpty(database, { apiKey, email: config.bootstrapEmail });
  return made ?? findBootstrap(database, apiKey);
}

/** Writes bootstrap.json, or brings its addresses up to date. Called once the listeners are up. */
export async function keepBootstrapFile(
  config: Config,
  bootstrap: Bootstrap | undefined,
  urls: BootstrapFile["urls"],
): Promise<void> {
  if (bootstrap) await writeBootstrapFile(config.dataDir, { ...bootstrap, urls });
}
