// Versions of records that a search still finds while the index lags behind the records.

import type { AccountSettings, StoredRecord } from "./stored-record.ts";

/** Version that was valid until `until`; an undefined record did not exist yet. */
type Version = { record: StoredRecord | undefined; until: number };

export class SearchIndex {
  readonly #settings: AccountSettings;
  readonly #versions = new Map<number, Version[]>();

  constructor(settings: AccountSettings) {
    this.#settings = settings;
  }

  /** Stores the version before a change; without a lag, nothing. */
  changes(key: number, before: StoredRecord | undefined): void {
    if (this.#settings.searchLagMs <= 0) return;
    const record = before === undefined ? undefined : { ...before, properties: { ...before.properties } };
    const versions = this.#versions.get(key) ?? [];
    versions.push({ record, until: this.#settings.clock.now() });
    this.#versions.set(key, versions);
  }

  /** Returns a function that returns the version of a live record which a search finds now. */
  view(): (record: StoredRecord) => StoredRecord | undefined {
    const indexedAt = this.#settings.clock.now() - this.#settings.searchLagMs;
    for (const [key, versions] of this.#versions) {
      const kept = versions.filter((version) => version.until > indexedAt);
      if (kept.length === 0) this.#versions.delete(key);
      else this.#versions.set(key, kept);
    }
    return (record) => {
      if (record.archived) return undefined;
      if (this.#versions.size === 0) return record;
      const [oldest] = this.#versions.get(record.key) ?? [];
      return oldest === undefined ? record : oldest.record;
    };
  }
}
