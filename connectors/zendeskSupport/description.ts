/** Zendesk Support's objects. Changes of tickets and users come from the incremental exports. */
import type { Description } from "../../connector-kit/described/description.ts";
import type { KnownFields, MetadataRules } from "../../connector-kit/described/metadata-rules.ts";
import { organizationFields, userFields } from "./known-fields.ts";

const exported = {
  to: "query.start_time",
  format: "unix" as const,
  path: "/api/v2/incremental/{path}/cursor",
  paging: { nextUrl: { from: "after_url" } },
};

const createOrUpdate = {
  method: "POST" as const,
  path: "/api/v2/{path}/create_or_update",
  wrap: { in: "{singular}" },
};

const fieldsOf = (singular: string, fields: KnownFields): MetadataRules => ({
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
    since: {},
    create: { method: "POST", path: "/api/v2/{path}", wrap: { in: "{singular}" } },
    update: { method: "PUT", path: "/api/v2/{path}/{id}", wrap: { in: "{singular}" } },
    delete: { method: "DELETE", path: "/api/v2/{path}/{id}" },
    get: { path: "/api/v2/{path}/{id}", record: "{singular}" },
    record: "{singular}",
  },
  objects: {
    tickets: { singular: "ticket", since: exported, example: { subject: "Printer" } },
    users: {
      singular: "user",
      metadata: fieldsOf("user", userFields),
      since: exported,
      upsert: { ...createOrUpdate, keys: ["external_id", "email"] },
      example: { name: "Ada Quill" },
    },
    organizations: {
      singular: "organization",
      metadata: fieldsOf("organization", organizationFields),
      upsert: { ...createOrUpdate, keys: ["external_id"] },
      example: { name: "Quill Ltd" },
    },
    groups: { singular: "group", example: { name: "Support" } },
    brands: { singular: "brand", example: { name: "Quill" } },
    macros: { singular: "macro", example: { title: "Close" } },
  },
  errors: {
    message: ["details.*.*.description", "description", "error.message", "error"],
    code: "error",
  },
  sources: {
    documentation: "https://developer.zendesk.com/api-reference",
    checked:
      "2026-11-26, Zendesk’s OpenAPI file in a copy of 2026-08, its page about exports, singer-io/tap-zendesk",
  },
};
