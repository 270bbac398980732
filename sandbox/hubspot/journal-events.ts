// Events of the webhooks journal, by which a subscription reports a change.

import type { AccountChange } from "./account-change.ts";
import { PORTAL_ID } from "./account.ts";

export type JournalSubscription = {
  id: number;
  subscriptionType: string;
  portalId: number;
  objectTypeId: string;
  actions: string[];
  properties: string[];
  createdAt: string;
  updatedAt: string;
};

export type JournalEvent = Record<string, unknown> & {
  portalId: number;
  action: string;
  objectId?: number;
  propertyChanges?: Record<string, string | null>;
};

const ACTIONS: Record<AccountChange["kind"], { subscriptionType: string; action: string }> = {
  creation: { subscriptionType: "OBJECT", action: "CREATE" },
  propertyChange: { subscriptionType: "OBJECT", action: "UPDATE" },
  deletion: { subscriptionType: "OBJECT", action: "DELETE" },
  merge: { subscriptionType: "OBJECT", action: "MERGE" },
  restore: { subscriptionType: "OBJECT", action: "RESTORE" },
  associationChange: { subscriptionType: "ASSOCIATION", action: "ASSOCIATION_ADDED" },
  privacyDeletion: { subscriptionType: "GDPR_PRIVACY_DELETION", action: "GDPR_DELETE" },
};

/** Builds the event for a subscription; undefined for a change that it does not report. */
export function toJournalEvent(
  change: AccountChange,
  { subscriptionType, objectTypeId, actions, properties }: JournalSubscription,
  occurredAt: string,
): JournalEvent | undefined {
  const { kind, type, id, property, merged, to } = change;
  const known = ACTIONS[kind];
  const action = to?.removed === true ? "ASSOCIATION_REMOVED" : known.action;
  if (known.subscriptionType !== subscriptionType || type.id !== objectTypeId || !actions.includes(action)) {
    return undefined;
  }
  if (kind === "propertyChange" && !properties.includes(property?.name ?? "")) return undefined;
  const base = { type: subscriptionType, portalId: PORTAL_ID, occurredAt, action };
  if (to !== undefined) {
    return {
      ...base,
      fromObjectId: Number(id),
      toObjectId: Number(to.id),
      fromObjectTypeId: type.id,
      toObjectTypeId: to.type.id,
      associationTypeId: 1,
      associationCategory: "HUBSPOT_DEFINED",
      isPrimary: false,
    };
  }
  return {
    ...base,
    objectTypeId: type.id,
    objectId: Number(id),
    ...(kind === "creation" || kind === "propertyChange"
      ? { propertyChanges: property === undefined ? {} : { [property.name]: property.value } }
      : {}),
    ...(merged === undefined ? {} : { mergedObjectIds: merged.map(Number) }),
  };
}
