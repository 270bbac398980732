/** Subscribes to changes in HubSpot: entry point for subscriptions. */
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { requireObject } from "../../connector-kit/calls/page-check.ts";
import type { SubscribeConnector } from "../../connector-kit/subscribe-connector.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { classify } from "./classify.ts";
import { findTypeId } from "./event-objects.ts";
import { readJournalEvent } from "./journal-event.ts";
import { countItems, isListed, readEvent, readEvents, polledEvent, sampleEvent } from "./push-event.ts";
import { findFault, isSigned } from "./push-signature.ts";
import { buildRegistration } from "./push-registration.ts";
import { getSchema } from "./property-request.ts";
import { findObjectFault } from "./request.ts";
import { readTime } from "./source-record.ts";

export const subscribe: SubscribeConnector = {
  module: "crm",
  // Reading is not so strict: it knows the names of the account.
  comparesNamesExactly: true,
  reportsAssociations: true,
  push: { findFault, isSigned, countItems, readEvents },
  objectKey: findTypeId,
  findObjectKey,
  findAccountRef,
  // The inbox has events of pushes and of the journal.
  readEvent: (raw) => readEvent(raw) ?? readJournalEvent(raw),
  isListed,
  readCreateTime: ({ raw }) => readTime(raw.createdAt),
  polledEvent,
  sampleEvent,
  registration: buildRegistration,
};

/** Only HubSpot knows the type id of a custom object. */
async function findObjectKey(objectName: string, fetch: ProviderFetch): Promise<string> {
  const fault = findObjectFault(objectName);
  if (fault) throw fault;
  const answer = await send(getSchema(objectName), fetch, classify);
  if (answer.error) throw answer.error;
  return requireText(answer.body, "objectTypeId");
}

async function findAccountRef(fetch: ProviderFetch): Promise<string> {
  const path = "/account-info/2026-03/details";
  const answer = await send({ method: "GET", path, repeatable: true }, fetch, classify);
  if (answer.error) throw answer.error;
  return requireText(answer.body, "portalId");
}

function requireText(body: Parameters<typeof requireObject>[0], name: string): string {
  const value = getTextAt(requireObject(body, "the answer"), name);
  if (value !== undefined) return value;
  throw new ProviderError({ kind: "unreadable", message: `HubSpot's answer has no \`${name}\`` });
}
