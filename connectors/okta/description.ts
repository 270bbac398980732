/** Okta's users and groups, by the fields of their profiles. Deleting an active user deactivates it; a second deletion deletes it. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Okta", "https://{{.workspace}}.okta.com", {
  authorize: "https://{{.workspace}}.okta.com/oauth2/v1/authorize",
  token: "https://{{.workspace}}.okta.com/oauth2/v1/token",
  needsScopes: true,
  oauth: {
    explicitWorkspaceRequired: true,
    docsURL:
      "https://developer.okta.com/docs/guides/implement-oauth-for-okta/main/#get-an-access-token-and-make-a-request",
  },
  declares: ["read", "write", "delete", "search"],
  hostSuffixes: [".okta.com", ".oktapreview.com", ".okta-emea.com", ".okta-gov.com", ".okta.mil"],
  inputs: [
    {
      name: "workspace",
      displayName: "Domain",
      prompt:
        "The first part of your Okta address, acme in acme.okta.com, or the whole address if it ends otherwise, for example acme.oktapreview.com.",
      docsURL: "https://developer.okta.com/docs/guides/find-your-domain/main/",
    },
  ],
});

/** The System Log has the events of the last 90 days. A query without `until` never ends: it waits for new events. */
const readLoggedDeletions = (eventType: string, type: string): ObjectRules["furtherLists"] => [
  {
    list: {
      path: "/api/v1/logs",
      query: { filter: `eventType eq "${eventType}" and outcome.result eq "SUCCESS"` },
      pageSize: { to: "query.limit", most: 1000 },
    },
    idPath: "target.0.id",
    changedPath: "published",
    // Events can be late in the log; Okta does not say how late.
    since: { to: "query.since", until: "query.until", overlapMinutes: 60, oldestDays: 90 },
    deleted: true,
    where: { at: "target.0.type", is: type },
    // It needs the scope okta.logs.read.
    mayBeForbidden: true,
  },
];

export const description: Description = {
  ids: { pattern: "[A-Za-z0-9]{4,64}" },
  defaults: {
    list: { path: "/api/v1/{path}", pageSize: { to: "query.limit", most: 200 } },
    flatten: "profile",
    paging: { link: true },
    changedPath: "lastUpdated",
    since: { to: "query.filter", template: 'lastUpdated gt "{since}"', exclusive: true, overlapMinutes: 10 },
    create: { method: "POST", path: "/api/v1/{path}", wrap: { in: "profile" } },
    delete: { method: "DELETE", path: "/api/v1/{path}/{id}" },
    get: { path: "/api/v1/{path}/{id}" },
  },
  objects: {
    users: {
      // Without a filter, deactivated users are left out.
      since: {
        to: "query.filter",
        template: 'lastUpdated ge "{since}"',
        full: "1970-01-01T00:00:00Z",
        overlapMinutes: 10,
      },
      // A deactivated user is a record with the status DEPROVISIONED, which can be deleted.
      furtherLists: readLoggedDeletions("user.lifecycle.delete.completed", "User"),
      // By POST, fields that are not named stay; a PUT would clear them.
      update: { method: "POST", path: "/api/v1/users/{id}", wrap: { in: "profile" } },
      example: { firstName: "Ada", lastName: "Quill", email: "ada@example.com", login: "ada@example.com" },
    },
    // An update, by PUT, would clear the fields that are not named.
    groups: {
      modes: ["read", "create", "delete"],
      furtherLists: readLoggedDeletions("group.lifecycle.delete", "UserGroup"),
      example: { name: "Writers" },
    },
  },
  errors: {
    message: ["errorCauses.*.errorSummary", "errorSummary"],
    code: "errorCode",
  },
  limits: { reset: "x-rate-limit-reset" },
  sources: {
    documentation: "https://developer.okta.com/docs/api",
    checked:
      "2026-11-28, Okta's OpenAPI file 2026.06.3, and its page of queries of the System Log; domains of cells by Okta's own client. Deletions are read from the System Log: the provider app needs the scope `okta.logs.read`. A user who is deactivated, not deleted, is a record with the status `DEPROVISIONED`",
  },
};
