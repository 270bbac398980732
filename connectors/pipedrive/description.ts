/** Pipedrive's objects: version 2 of its API, and version 1 for notes. */
import type { Description } from "../../connector-kit/described/description.ts";
import type { MetadataRules } from "../../connector-kit/described/metadata-rules.ts";

/** Custom fields have names of 40 characters, and are members of `custom_fields` in both directions. */
const metadata: MetadataRules = {
  list: {
    path: "/api/v2/{singular}Fields",
    query: { limit: "500" },
    records: "data",
    paging: { cursor: { from: "additional_data.next_cursor", to: "query.cursor" } },
    name: "field_code",
    label: "field_name",
    type: "field_type",
    types: {
      varchar: "string",
      varchar_auto: "string",
      text: "string",
      phone: "string",
      int: "int",
      double: "float",
      monetary: "float",
      date: "date",
      enum: "singleSelect",
      set: "multiSelect",
      user: "reference",
      org: "reference",
      people: "reference",
    },
    custom: { paths: ["is_custom_field"], is: ["true"] },
    customIn: "custom_fields",
    options: { at: "options", value: "id", label: "label" },
  },
};

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/api/v2/{path}", pageSize: { to: "query.limit", most: 500 } },
    records: "data",
    paging: { cursor: { from: "additional_data.next_cursor", to: "query.cursor" } },
    changedPath: "update_time",
    since: { to: "query.updated_since", format: "rfc3339-seconds" },
    create: { method: "POST", path: "/api/v2/{path}" },
    update: { method: "PATCH", path: "/api/v2/{path}/{id}" },
    delete: { method: "DELETE", path: "/api/v2/{path}/{id}" },
    get: { path: "/api/v2/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: {
    deals: { singular: "deal", metadata, example: { title: "Pens" } },
    persons: { singular: "person", metadata, example: { name: "Ada Quill" } },
    organizations: { singular: "organization", metadata, example: { name: "Quill Ltd" } },
    activities: { singular: "activity", metadata, example: { subject: "Call" } },
    products: { singular: "product", metadata, since: {}, example: { name: "Pen" } },
    pipelines: { since: {}, example: { name: "Sales" } },
    stages: { since: {}, example: { name: "Won" } },
    notes: {
      list: {
        path: "/v1/{path}",
        query: { sort: "id ASC" },
        pageSize: { to: "query.limit", most: 500 },
      },
      paging: {
        offset: { to: "query.start", more: "additional_data.pagination.more_items_in_collection" },
      },
      create: { method: "POST", path: "/v1/{path}" },
      update: { method: "PUT", path: "/v1/{path}/{id}" },
      delete: { method: "DELETE", path: "/v1/{path}/{id}" },
      get: { path: "/v1/{path}/{id}", record: "data" },
      example: { content: "Asked for pens" },
    },
  },
  errors: { okWhen: "success=true", message: ["error", "error_info"], code: "code" },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://developers.pipedrive.com/docs/api/v1",
    checked:
      "2026-11-26, Pipedrive’s client for Node.js 32.2.1 of 2026-04; archived deals are in another list, which is not read",
  },
};
