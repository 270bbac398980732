/** Caches every project's custom providers, because calls look them up without the database. */
import { checkCustomProvider } from "../../connector-kit/custom-provider.ts";
import type { CustomProvider, CustomProviders } from "../../connector-kit/catalog.ts";
import type { Log } from "../../ground/log.ts";
import type { Changes } from "../store/database/changes.ts";
import type { Database } from "../store/database/database.ts";
import { listCustomProviders, type CustomProviderRow } from "../store/connections/custom-providers.ts";

export class CustomProviderMemory {
  readonly #projects = new Map<string, Map<string, CustomProvider>>();
  /** Documents of what is kept: what did not change keeps its connector. */
  readonly #documents = new WeakMap<CustomProvider, string>();
  #last: Promise<void> = Promise.resolve();

  of(projectId: string): CustomProviders {
    return this.#projects.get(projectId) ?? NONE;
  }

  /** Reads all providers, and again those of a project whenever one of them changes, in any process. */
  async keep({ database, changes, log }: { database: Database; changes: Changes; log: Log }): Promise<void> {
    const reload = (projectId?: string): void => {
      this.load({ database, log }, projectId).catch((error: unknown) =>
        log.error({ err: error }, "custom providers could not be read again"),
      );
    };
    changes.subscribe((change) => {
      if (!change) reload();
      else if (change.table === "own_providers") reload(change.id);
    });
    await this.load({ database, log });
  }

  /** Loads follow each other, so that an older read never replaces a newer one. */
  load(deps: { database: Database; log: Log }, projectId?: string): Promise<void> {
    const loaded = this.#last.then(() => this.#load(deps, projectId));
    this.#last = loaded.catch(() => {});
    return loaded;
  }

  async #load({ database, log }: { database: Database; log: Log }, projectId?: string): Promise<void> {
    const rows = await listCustomProviders(database.data, projectId);
    const read = Map.groupBy(rows, (row) => row.projectId);
    for (const id of projectId === undefined ? [...this.#projects.keys()] : [projectId])
      if (!read.has(id)) this.#projects.delete(id);
    for (const [id, own] of read)
      this.#projects.set(id, new Map(own.flatMap((row) => this.#entry(row, log))));
  }

  /** A document that this version does not accept any more is left out, and its calls are refused. */
  #entry({ projectId, key, document }: CustomProviderRow, log: Log): [string, CustomProvider][] {
    const text = JSON.stringify(document);
    const known = this.#projects.get(projectId)?.get(key);
    if (known && this.#documents.get(known) === text) return [[key, known]];
    const { own, faults } = checkCustomProvider(key, document);
    if (!own) {
      log.error({ projectId, key, faults }, "a custom provider is not valid in this version");
      return [];
    }
    this.#documents.set(own, text);
    return [[key, own]];
  }
}

const NONE: CustomProviders = new Map();
