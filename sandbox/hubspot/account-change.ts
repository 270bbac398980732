// Changes in an account that HubSpot reports to apps.

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
  /** Set for `propertyChange` only. */
  property?: { name: string; value: string };
  /** Set for `merge` only: ids of the records that were merged into this one. */
  merged?: string[];
  /** Set for `associationChange` only. */
  to?: { type: ObjectType; id: string; removed: boolean };
};

/** Returns whether HubSpot sets the property itself: then it is not reported at a creation. */
export const isSystemProperty = (name: string): boolean =>
  name.startsWith("hs_") || name === "createdate" || name === "lastmodifieddate";
