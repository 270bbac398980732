/** Zendesk Support's objects. Changes of tickets and users come from the incremental exports. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import type { KnownFields, MetadataRules } from "../../connector-kit/declarative/rules/metadata-rules.ts";
import { organizationFields, userFields } from "./known-fields.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Zendesk Support", "https://{{.workspace}}.zendesk.com", {
  authorize: "https://{{.workspace}}.zendesk.com/oauth/authorizations/new",
  token: "https://{{.workspace}}.zendesk.com/oauth/tokens",
  needsScopes: true,
  oauth: { explicitWorkspaceRequired: true },
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "workspace",
      displayName: "Subdomain",
      prompt: "The first part of your Zendesk address: acme in acme.zendesk.com.",
    },
  ],
});

/** Items of the last minute are left out of exports. Their last page names a next address, too. */
const bound = { to: "query.start_time", format: "unix" as const, overlapMinutes: 5 };
const pageSize = { to: "query.per_page", most: 1000 };

/** Everything is in the export from the beginning; the usual list of tickets has no archived ones. */
const exported: ObjectRules = {
  list: { path: "/api/v2/incremental/{path}/cursor", pageSize },
  paging: { nextUrl: { from: "after_url", last: "end_of_stream" } },
  since: { ...bound, full: "1970-01-01T00:00:00Z" },
};

const createOrUpdate = {
  method: "POST" as const,
  path: "/api/v2/{path}/create_or_update",
  wrap: { in: "{singular}" },
};

const listFields = (singular: string, fields: KnownFields): MetadataRules => ({
  fields,
  list: {
    path: `/api/v2/${singular}_fields`,
    query: { "page[size]": "100" },
    records: `${singular}_fields`,
    paging: { nextUrl: { from: "links.next" } },
    skip: [{ paths: ["active"], is: ["false"] }],
    name: "key",
    label: "title",
    explanation: "description",
    type: "type",
    types: {
      text: "string",
      textarea: "string",
      regexp: "string",
      checkbox: "boolean",
      date: "date",
      integer: "int",
      decimal: "float",
      dropdown: "singleSelect",
      lookup: "reference",
    },
    customIn: `${singular}_fields`,
    options: { at: "custom_field_options", value: "value", label: "name" },
  },
});

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/api/v2/{path}", pageSize: { to: "query.page[size]", most: 100 } },
    records: "{path}",
    paging: { nextUrl: { from: "links.next" } },
    changedPath: "updated_at",
    create: { method: "POST", path: "/api/v2/{path}", wrap: { in: "{singular}" } },
    update: { method: "PUT", path: "/api/v2/{path}/{id}", wrap: { in: "{singular}" } },
    delete: { method: "DELETE", path: "/api/v2/{path}/{id}" },
    get: { path: "/api/v2/{path}/{id}", record: "{singular}" },
    record: "{singular}",
  },
  objects: {
    // Exports compare this time, which also moves when the system changes a ticket.
    tickets: {
      singular: "ticket",
      ...exported,
      // By default the export has those that people answer, and leaves those of AI agents out.
      list: {
        path: "/api/v2/incremental/{path}/cursor",
        query: { support_type_scope: "all" },
        pageSize,
      },
      changedPath: "generated_timestamp",
      changedFormat: "unix",
      deleted: { at: "status", is: "deleted" },
      create: {
        method: "POST",
        path: "/api/v2/{path}",
        wrap: { in: "{singular}" },
        idempotencyKeyTo: "header.Idempotency-Key",
      },
      example: { subject: "Printer" },
    },
    users: {
      singular: "user",
      metadata: listFields("user", userFields),
      ...exported,
      // "False if the user has been deleted": suspended users are active.
      deleted: { at: "active", is: "false" },
      upsert: { ...createOrUpdate, keys: ["external_id", "email"] },
      example: { name: "Ada Quill" },
    },
    organizations: {
      singular: "organization",
      metadata: listFields("organization", organizationFields),
      since: {
        ...bound,
        list: { path: "/api/v2/incremental/{path}", pageSize },
        paging: { nextUrl: { from: "next_page", last: "end_of_stream" } },
      },
      deleted: { at: "deleted_at" },
      upsert: { ...createOrUpdate, keys: ["external_id"] },
      example: { name: "Quill Ltd" },
    },
    groups: { singular: "group", deleted: { at: "deleted" }, example: { name: "Support" } },
    brands: { singular: "brand", deleted: { at: "is_deleted" }, example: { name: "Quill" } },
    macros: { singular: "macro", example: { title: "Close" } },
  },
  errors: {
    message: ["details.*.*.description", "description", "error.message", "error"],
    code: "error",
  },
  sources: {
    documentation: "https://developer.zendesk.com/api-reference",
    checked:
      "2026-11-29, Zendesk’s OpenAPI file in a copy of 2026-08, its pages about exports and about keys of creates, singer-io/tap-zendesk; the mark of deleted users, and the scope of tickets, from clients",
  },
};
