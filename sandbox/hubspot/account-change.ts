// Changes of an account that HubSpot reports to apps.

import type { ObjectType } from "./object-types.ts";

export type AccountChange = {
  kind:
    | "creation"
    | "propertyChange"
    | "deletion"
    | "privacyDeletion"
    | "restore"
    | "merge"
    | "associationChange";
  type: ObjectType;
  id: string;
  /** `propertyChange` only. */
  property?: { name: string; value: string };
  /** `merge` only: ids of the records that were merged into this one. */
  merged?: string[];
  /** `associationChange` only. */
  to?: { type: ObjectType; id: string; removed: boolean };
};

/** Properties that HubSpot sets itself are not reported at a creation. */
export const isSystemProperty = (name: string): boolean =>
  name.startsWith("hs_") || name === "createdate" || name === "lastmodifieddate";
