/**
 * Remembers for a minute what providers say about the objects of customers' accounts. All actions and endpoints of a
 * process share one memory, so that a field that one of them creates is known to the others at once.
 */
import { now } from "../../ground/clock.ts";
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import type { ObjectMetadata } from "../../connector-kit/fields.ts";
import type { LiveConnection } from "../calls/live-connection.ts";

export interface MetadataMemory {
  /** Returns the object's metadata from the cache, if it was asked for after `notBefore`, or by `read`. Failures are not cached. */
  get(
    connection: LiveConnection,
    objectName: string,
    read: () => Promise<ObjectMetadata>,
    notBefore?: Date,
  ): Promise<ObjectMetadata>;
  /** Drops the cached objects of a connection, because fields were changed. */
  forget(connectionId: string): void;
}

/** Lifetime of a cached answer: short enough for someone who has just created a field in the CRM. */
const FRESH_MS = 60_000;
const MAX_OBJECTS = 500;
const LONG_AGO = new Date(0);

interface Known {
  /** Changes with every change of the connection, including its account. */
  connection: LiveConnection;
  metadata: Promise<ObjectMetadata>;
  time: Date;
}

export function openMetadataMemory(): MetadataMemory {
  const known = keepRecentlyUsed<Known>(MAX_OBJECTS, { ttl: FRESH_MS });
  return {
    get(connection, objectName, read, notBefore = LONG_AGO) {
      const key = `${connection.id}/${objectName}`;
      const found = known.get(key);
      if (found?.connection === connection && found.time >= notBefore) return found.metadata;
      const entry = { connection, metadata: read(), time: now() };
      known.set(key, entry);
      entry.metadata.catch(() => {
        if (known.get(key) === entry) known.delete(key);
      });
      return entry.metadata;
    },
    forget(connectionId) {
      for (const key of known.keys()) if (key.startsWith(`${connectionId}/`)) known.delete(key);
    },
  };
}
