/** A person's contacts, events, messages and tasks lists, by Microsoft Graph. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { contactFields } from "./contact-fields.ts";
import { IMMUTABLE_IDS } from "./provider.ts";

const ever = "createdDateTime ge 1900-01-01T00:00:00Z";

export const description: Description = {
  ids: { pattern: "[A-Za-z0-9_=-]{1,512}" },
  defaults: {
    list: { path: "/v1.0/me/{path}", pageSize: { to: "query.$top", most: 500 } },
    records: "value",
    paging: { nextUrl: { from: "@odata.nextLink" } },
    changedPath: "lastModifiedDateTime",
    since: { to: "query.$filter", template: "lastModifiedDateTime ge {since}" },
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
      path: "contacts",
      metadata: { label: "Contact", fields: contactFields },
      example: { givenName: "Ada" },
    },
    "me/events": { path: "events", example: { subject: "Pens" } },
    // What messages are sorted by must be in the filter, and first. Sorted by creation, a message that changes does not move.
    "me/messages": {
      path: "messages",
      list: {
        path: "/v1.0/me/{path}",
        query: { $filter: ever, $orderby: "createdDateTime" },
        pageSize: { to: "query.$top", most: 100 },
      },
      since: { to: "query.$filter", template: `${ever} and lastModifiedDateTime ge {since}` },
      example: { subject: "Pens" },
    },
    "me/calendars": { path: "calendars", since: {}, example: { name: "Pens" } },
    // The list of events has those of the default calendar, the list of contacts those of the default folder: these have the others, too.
    "me/calendars/events": {
      modes: ["read"],
      parent: { object: "me/calendars" },
      list: { path: "/v1.0/me/calendars/{parent}/events", pageSize: { to: "query.$top", most: 500 } },
      get: { path: "/v1.0/me/events/{id}" },
      example: { subject: "Pens" },
    },
    "me/contactFolders": {
      path: "contactFolders",
      modes: ["read"],
      since: {},
      example: { displayName: "Pens" },
    },
    "me/contactFolders/contacts": {
      modes: ["read"],
      parent: { object: "me/contactFolders" },
      list: { path: "/v1.0/me/contactFolders/{parent}/contacts", pageSize: { to: "query.$top", most: 500 } },
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
      "2026-11-28, Microsoft’s pages of the lists, of immutable ids and of batches; contacts of folders within folders are not read. Graph tells deletions by delta queries alone, from a token that the query before has given, which is not kept: they are not read. An item keeps its id when it moves to another folder, but not when it moves to an archive mailbox; a call through the proxy that has a `Prefer` of its own, without `IdType`, gets the other ids",
  },
};
