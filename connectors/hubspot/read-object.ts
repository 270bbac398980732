/** Knows what differs between HubSpot's objects when they are read. */
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { findObjectFault } from "./request.ts";

const CONTACTS = new Set(["contacts", "contact", "0-1"]);

/** Objects outside the CRM API that HubSpot lets integrations read, each at an address of its own. */
const OUTSIDE_CRM = new Set([
  "marketing-campaigns",
  "marketing-emails",
  "marketing-events",
  "marketing-forms",
  "inboxes",
  "channel-accounts",
  "channels",
  "threads",
  "custom-channels",
  "meeting-links",
  "communication-preferences",
]);

/** Occurrences of an event, under the name that the public connector uses for them. */
const OCCURRENCES = /^AMPERSAND-event-occurrences-/;

/** Returns false for objects of APIs that Busbar does not read. */
export const isReadable = (objectName: string): boolean =>
  !OUTSIDE_CRM.has(objectName) && !OCCURRENCES.test(objectName);

/** Returns why an object cannot be read; undefined if that is not known. */
export function findReadingFault(objectName: string): ProviderError | undefined {
  if (isReadable(objectName)) return findObjectFault(objectName);
  const message = `Reading \`${objectName}\` of HubSpot is not supported yet; read CRM objects, owners or lists`;
  return new ProviderError({ kind: "invalid", message });
}

/** Returns the property that holds when a record last changed. */
export const changeProperty = (objectName: string): string =>
  CONTACTS.has(objectName.toLowerCase()) ? "lastmodifieddate" : "hs_lastmodifieddate";

/** Compares ids of records as numbers, which can be too large for a JavaScript number. */
export const isAfter = (id: string, other: string): boolean =>
  id.length === other.length ? id > other : id.length > other.length;
