/** Slack's channels and user groups. Every method is a path of its own, and refusals have the status 200. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Slack", "https://slack.com/api", {
  authorize: "https://slack.com/oauth/v2/authorize",
  token: "https://slack.com/api/oauth.v2.access",
  needsScopes: true,
  oauth: { scopeSeparator: "," },
  tokenFields: {
    workspaceRefField: "workspace_name",
    scopesField: "scope",
    otherFields: [{ name: "teamId", displayName: "Team id", path: "team.id" }],
  },
  declares: ["read", "write", "subscribe", "delete", "search"],
  metadata: { postAuthentication: [{ name: "teamId" }] },
});

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
      get: {
        path: "/conversations.info?channel={id}&include_num_members=true&include_locale=true",
        record: "channel",
      },
      record: "channel",
      example: { name: "pens" },
    },
    usergroups: {
      // Without the parameters, a list has no disabled groups, and groups do not name their users.
      list: {
        path: "/usergroups.list",
        query: { include_disabled: "true", include_users: "true", include_count: "true" },
      },
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
      list: {
        path: "/users.list",
        query: { include_locale: "true" },
        pageSize: { to: "query.limit", most: 200 },
      },
      records: "members",
      deleted: { at: "deleted" },
      paging: { cursor: { from: "response_metadata.next_cursor", to: "query.cursor" } },
      changedPath: "updated",
      changedFormat: "unix",
      get: { path: "/users.info?user={id}&include_locale=true", record: "user" },
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
      no_permission: "forbidden",
      permission_denied: "forbidden",
      access_denied: "forbidden",
      accesslimited: "forbidden",
      ekm_access_denied: "forbidden",
      enterprise_is_restricted: "forbidden",
      two_factor_setup_required: "forbidden",
      plan_upgrade_required: "forbidden",
      paid_teams_only: "forbidden",
      not_allowed_token_type: "forbidden",
      restricted_action: "forbidden",
      not_authorized: "forbidden",
      not_in_channel: "forbidden",
      channel_not_found: "not_found",
      user_not_found: "not_found",
      user_not_visible: "not_found",
      no_such_subteam: "not_found",
      name_taken: "conflict",
      name_already_exists: "conflict",
      handle_already_exists: "conflict",
      is_archived: "conflict",
      // Only `conversations.archive` answers so: the channel is as a deletion leaves it.
      already_archived: "not_found",
      ratelimited: "rate_limited",
      // "It's possible some aspect of the operation succeeded before the error was raised."
      internal_error: "unknown_outcome",
      fatal_error: "unknown_outcome",
      service_unavailable: "unavailable",
      request_timeout: "unavailable",
      // The workspace is being moved to an organization; the error passes.
      team_added_to_org: "unavailable",
      org_login_required: "unavailable",
    },
  },
  sources: {
    documentation: "https://docs.slack.dev/reference/methods",
    checked:
      "2026-11-28, Slack's file of its methods of 2021, its client for Node.js of 2026-08-21, a copy of its pages of methods and errors of 2026-08-20. An app that is installed for a whole organization has no `team_id`, which Slack then demands: its lists are refused",
  },
};
