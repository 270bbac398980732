/** Slack's channels and user groups. Every method is a path of its own, and refusals have the status 200. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

export const description: Description = {
  ids: { pattern: "[A-Z0-9]{2,40}" },
  defaults: {},
  objects: {
    conversations: {
      list: {
        path: "/conversations.list",
        query: { types: "public_channel,private_channel" },
        pageSize: { to: "query.limit", most: 200 },
      },
      records: "channels",
      paging: { cursor: { from: "response_metadata.next_cursor", to: "query.cursor" } },
      changedPath: "updated",
      changedFormat: "unix-ms",
      create: { method: "POST", path: "/conversations.create" },
      // Topic and purpose have methods of their own: an update changes the name.
      update: { method: "POST", path: "/conversations.rename", idTo: "body.channel" },
      delete: { method: "POST", path: "/conversations.archive?channel={id}" },
      get: { path: "/conversations.info?channel={id}", record: "channel" },
      record: "channel",
      example: { name: "pens" },
    },
    usergroups: {
      // Without the parameter, a list has no disabled groups.
      list: { path: "/usergroups.list", query: { include_disabled: "true" } },
      deleted: { at: "date_delete" },
      records: "usergroups",
      paging: { none: true },
      changedPath: "date_update",
      changedFormat: "unix",
      create: { method: "POST", path: "/usergroups.create" },
      update: { method: "POST", path: "/usergroups.update", idTo: "body.usergroup" },
      delete: { method: "POST", path: "/usergroups.disable?usergroup={id}" },
      record: "usergroup",
      example: { name: "Writers" },
    },
    users: {
      modes: ["read"],
      list: { path: "/users.list", pageSize: { to: "query.limit", most: 200 } },
      records: "members",
      deleted: { at: "deleted" },
      paging: { cursor: { from: "response_metadata.next_cursor", to: "query.cursor" } },
      changedPath: "updated",
      changedFormat: "unix",
      get: { path: "/users.info?user={id}", record: "user" },
    },
  },
  errors: {
    okWhen: "ok=true",
    message: ["error"],
    code: "error",
    codes: {
      invalid_auth: "unauthorized",
      not_authed: "unauthorized",
      token_revoked: "unauthorized",
      token_expired: "unauthorized",
      account_inactive: "unauthorized",
      missing_scope: "forbidden",
      not_allowed_token_type: "forbidden",
      restricted_action: "forbidden",
      not_authorized: "forbidden",
      not_in_channel: "forbidden",
      channel_not_found: "not_found",
      user_not_found: "not_found",
      no_such_subteam: "not_found",
      name_taken: "conflict",
      name_already_exists: "conflict",
      already_archived: "conflict",
      ratelimited: "rate_limited",
      internal_error: "unavailable",
      fatal_error: "unavailable",
      service_unavailable: "unavailable",
    },
  },
  sources: {
    documentation: "https://docs.slack.dev/reference/methods",
    checked:
      "2026-11-22, documentation: methods, arguments and errors of channels; user groups from published connectors",
  },
};
