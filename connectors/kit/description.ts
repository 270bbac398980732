/** Kit's broadcasts, subscribers, tags and custom fields: version 4 of its API. Subscribers cannot be deleted. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Kit", "https://api.kit.com", {
  authorize: "https://app.kit.com/oauth/authorize",
  token: "https://app.kit.com/oauth/token",
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
});

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/v4/{path}", pageSize: { to: "query.per_page", most: 1000 } },
    records: "{path}",
    // The last page has a cursor, too.
    paging: {
      cursor: { from: "pagination.end_cursor", to: "query.after", more: "pagination.has_next_page" },
    },
    create: { method: "POST", path: "/v4/{path}" },
    update: { method: "PUT", path: "/v4/{path}/{id}" },
    delete: { method: "DELETE", path: "/v4/{path}/{id}" },
    record: "{singular}",
  },
  objects: {
    broadcasts: {
      singular: "broadcast",
      // They have their texts: a page of more could be longer than an answer may be.
      list: { path: "/v4/{path}", pageSize: { to: "query.per_page", most: 500 } },
      get: { path: "/v4/{path}/{id}", record: "broadcast" },
      example: { subject: "Pens", content: "Ink" },
    },
    subscribers: {
      singular: "subscriber",
      modes: ["read", "create", "update"],
      // Without the state, a list has the active ones only.
      list: {
        path: "/v4/{path}",
        query: { status: "all" },
        pageSize: { to: "query.per_page", most: 1000 },
      },
      // The list has a change after half a minute, one of a hundred after five minutes or more.
      since: { to: "query.updated_after", format: "rfc3339-seconds", overlapMinutes: 15 },
      // "The key will change" when a custom field gets another label (Kit's page about it).
      renamable: ["fields"],
      create: { method: "POST", path: "/v4/{path}", accepted: true },
      update: { method: "PUT", path: "/v4/{path}/{id}", repeats: ["email_address"], accepted: true },
      // Custom fields that the account does not have are ignored.
      warnings: ["warnings.*"],
      get: { path: "/v4/{path}/{id}", record: "subscriber" },
      example: { email_address: "ada@example.com", first_name: "Ada" },
    },
    tags: { singular: "tag", modes: ["read", "create", "update"], example: { name: "writers" } },
    custom_fields: { singular: "custom_field", example: { label: "Ink" } },
  },
  errors: { message: ["errors.*"] },
  sources: {
    documentation: "https://developers.kit.com/api-reference",
    checked:
      "2026-11-28, Kit's OpenAPI file of 2026-08 in a copy: addresses, paging, errors, writes; its page about late lists; limits unchecked",
  },
};
