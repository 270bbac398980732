/** Writes `webhooks-hsmeta.json`, the file with which a builder registers for HubSpot's pushes (`hs project upload`). */
import type { SubscribedObject } from "../../connector-kit/subscribe-connector.ts";
import type { JsonObject } from "../../ground/json.ts";
import { toSingular } from "./event-objects.ts";

/** HubSpot's own default; it takes no less than six. */
const REQUESTS_AT_ONCE = 10;
/** These are not types of CRM objects, but events of the account. */
const CONVERSATION = "conversation";

/** HubSpot's name of an object in subscriptions (https://developers.hubspot.com/changelog/public-beta-generic-webhook-subscriptions). */
const FILE_NAMES: Record<string, string> = { meeting: "meeting_event" };

export function buildRegistration(objects: SubscribedObject[], targetUrl: string): JsonObject {
  const crmObjects: JsonObject[] = [];
  const hubEvents: JsonObject[] = [];
  for (const object of objects) {
    const objectType = toSingular(object.objectName);
    if (objectType === CONVERSATION) {
      hubEvents.push(...listTypes(object, CONVERSATION));
      continue;
    }
    crmObjects.push(
      ...listTypes(object, "object").map(({ subscriptionType, ...more }) => ({
        subscriptionType: subscriptionType ?? "",
        objectType: FILE_NAMES[objectType] ?? objectType,
        ...more,
      })),
    );
    if (objectType === "contact" && object.delete) {
      hubEvents.push({ subscriptionType: "contact.privacyDeletion", active: true });
    }
  }
  return {
    uid: "busbar_webhooks",
    type: "webhooks",
    config: {
      settings: { targetUrl, maxConcurrentRequests: REQUESTS_AT_ONCE },
      subscriptions: { crmObjects, legacyCrmObjects: [], hubEvents },
    },
  };
}

function listTypes(object: SubscribedObject, prefix: string): JsonObject[] {
  const actions = new Set([
    ...(object.create ? ["creation"] : []),
    ...(object.delete ? ["deletion"] : []),
    ...(object.associationChange ? ["associationChange"] : []),
    ...object.other.map((listed) => (listed.split(".").at(-1) ?? "").replace(/^(merge|restore)d$/, "$1")),
  ]);
  return [
    ...[...actions].map((action) => ({ subscriptionType: `${prefix}.${action}`, active: true })),
    // There is no wildcard: each property is a subscription.
    ...[...new Set(object.watchFields)].map((propertyName) => ({
      subscriptionType: `${prefix}.propertyChange`,
      propertyName,
      active: true,
    })),
  ];
}
