/** Keeps what providers say about objects for a few minutes, so that not every read asks again. */
import { LRUCache } from "lru-cache";
import type { FieldsConnector, ObjectMetadata } from "../../connector-kit/fields.ts";
import type { ProviderFetch } from "../../connector-kit/provider-fetch.ts";

const KEPT_MS = 5 * 60_000;
const MOST_OBJECTS = 500;

export interface ObjectMetadataCache {
  /** Returns the object's fields in the account of the connection. Throws `ProviderError`. */
  describe(
    of: { connectionId: string; objectName: string; connector: FieldsConnector },
    fetch: ProviderFetch,
  ): Promise<ObjectMetadata>;
}

export function openObjectMetadataCache(): ObjectMetadataCache {
  const known = new LRUCache<string, ObjectMetadata>({ max: MOST_OBJECTS, ttl: KEPT_MS });
  return {
    async describe({ connectionId, objectName, connector }, fetch) {
      const key = `${connectionId} ${objectName}`;
      const found = known.get(key) ?? (await connector.describe(objectName, fetch));
      known.set(key, found);
      return found;
    },
  };
}
