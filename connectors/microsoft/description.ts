/** A person's contacts, events, messages and calendars, by Microsoft Graph. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { contactFields } from "./contact-fields.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

/** The value of `Prefer` with which Microsoft Graph tells ids that stay the same when an item moves to another folder. */
const IMMUTABLE_IDS = 'IdType="ImmutableId"';

export const provider = oauth2("Microsoft", "https://graph.microsoft.com", {
  authorize: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
  token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
  needsScopes: true,
  declares: ["read", "write", "subscribe", "delete", "search", batchWrite(20)],
  // The ids of Outlook's items change otherwise when an item moves to another folder.
  fixedHeaders: [{ name: "Prefer", valueTemplate: IMMUTABLE_IDS }],
});

/**
 * The address of a next page counts the items before it, so that one that is deleted meanwhile hides another one: lists go on by the time of
 * change. What a list is sorted by must be in the filter, and first.
 */
const listByDate = (path: string, most = 500): Pick<ObjectRules, "list" | "since"> => ({
  list: {
    path,
    query: { $orderby: "lastModifiedDateTime" },
    pageSize: { to: "query.$top", most },
  },
  since: {
    to: "query.$filter",
    template: "lastModifiedDateTime ge {since}",
    full: "1970-01-01T00:00:00Z",
    keyset: true,
  },
});

/** Calendars and folders have no time of change. */
const skipped: ObjectRules["paging"] = { offset: { to: "query.$skip", next: "@odata.nextLink" } };

export const description: Description = {
  ids: { pattern: "[A-Za-z0-9_=-]{1,512}" },
  defaults: {
    list: { path: "/v1.0/me/{path}", pageSize: { to: "query.$top", most: 500 } },
    records: "value",
    paging: { nextUrl: { from: "@odata.nextLink" } },
    changedPath: "lastModifiedDateTime",
    create: { method: "POST", path: "/v1.0/me/{path}" },
    update: { method: "PATCH", path: "/v1.0/me/{path}/{id}" },
    delete: { method: "DELETE", path: "/v1.0/me/{path}/{id}" },
    get: { path: "/v1.0/me/{path}/{id}" },
    batch: {
      requests: {
        path: "/v1.0/$batch",
        most: 20,
        to: "requests",
        headers: { prefer: IMMUTABLE_IDS },
        below: "/v1.0",
        answers: "responses",
        status: "status",
      },
    },
  },
  objects: {
    "me/contacts": {
      ...listByDate("/v1.0/me/{path}"),
      path: "contacts",
      metadata: { label: "Contact", fields: contactFields },
      example: { givenName: "Ada" },
    },
    "me/events": { ...listByDate("/v1.0/me/{path}"), path: "events", example: { subject: "Pens" } },
    // Larger pages of whole messages take Graph too long.
    "me/messages": {
      ...listByDate("/v1.0/me/{path}", 100),
      path: "messages",
      example: { subject: "Pens" },
    },
    "me/calendars": { path: "calendars", paging: skipped, example: { name: "Pens" } },
    // The list of events has those of the default calendar, the list of contacts those of the default folder: these have the others, too.
    "me/calendars/events": {
      modes: ["read"],
      parent: { object: "me/calendars" },
      ...listByDate("/v1.0/me/calendars/{parent}/events"),
      get: { path: "/v1.0/me/events/{id}" },
      example: { subject: "Pens" },
    },
    "me/contactFolders": {
      path: "contactFolders",
      paging: skipped,
      modes: ["read"],
      example: { displayName: "Pens" },
    },
    "me/contactFolders/contacts": {
      modes: ["read"],
      parent: { object: "me/contactFolders" },
      ...listByDate("/v1.0/me/contactFolders/{parent}/contacts"),
      get: { path: "/v1.0/me/contacts/{id}" },
      metadata: { label: "Contact", fields: contactFields },
      example: { givenName: "Ada" },
    },
  },
  errors: {
    message: ["error.message"],
    code: "error.code",
  },
  sources: {
    documentation: "https://learn.microsoft.com/en-us/graph/api/overview",
    checked:
      "2026-11-28, Microsoft’s pages of the lists, of immutable ids, of batches and of national clouds; that contacts and events can be sorted by the time of change is from connectors of others. Contacts of folders within folders are not read. Tenants of GCC are connected as others; those of GCC High, DoD and China sign in elsewhere, at addresses that this provider does not have. Graph tells deletions by delta queries alone, from a token that the query before has given, which is not kept: they are not read. An item keeps its id when it moves to another folder, but not when it moves to an archive mailbox; a call through the proxy that has a `Prefer` of its own, without `IdType`, gets the other ids",
  },
};
