/** Jira's issues and projects. An update answers without a body, a create with the id and the key only. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Atlassian", "https://api.atlassian.com/ex/jira/{{.cloudId}}/rest/api", {
  authorize: "https://auth.atlassian.com/authorize",
  token: "https://auth.atlassian.com/oauth/token",
  needsScopes: true,
  oauth: { authURLParams: { audience: "api.atlassian.com", prompt: "consent" } },
  declares: ["read", "write", "delete", "search"],
  defaultModule: "jira",
  postAuthInfoNeeded: true,
  accountInfo: {
    url: "https://api.atlassian.com/oauth/token/accessible-resources",
    pick: { where: "url", equals: "https://{{.workspace}}.atlassian.net" },
    fields: [{ name: "cloudId", displayName: "Cloud id", path: "id" }],
  },
  inputs: [
    {
      name: "workspace",
      displayName: "Site",
      prompt: "The part of your site's address before atlassian.net: acme in acme.atlassian.net.",
      pastedSuffixes: [".atlassian.net"],
    },
  ],
  metadata: { postAuthentication: [{ name: "cloudId" }] },
  modules: {
    jira: {
      displayName: "Atlassian Jira",
      baseURL: "https://api.atlassian.com/ex/jira/{{.cloudId}}/rest/api",
      support: supports("read", "write", "delete", "search"),
    },
  },
});

export const description: Description = {
  ids: { pattern: "[0-9]{1,20}" },
  defaults: {
    get: { path: "/3/{path}/{id}" },
    delete: { method: "DELETE", path: "/3/{path}/{id}" },
  },
  objects: {
    issue: {
      list: {
        path: "/3/search/jql",
        // By creation: an issue that changes meanwhile keeps its place.
        query: { jql: "{changed}project is not EMPTY ORDER BY created ASC", fields: "*all" },
        pageSize: { to: "query.maxResults", most: 100 },
      },
      records: "issues",
      flatten: "fields",
      paging: {
        cursor: { from: "nextPageToken", to: "query.nextPageToken" },
        // Among the warnings: the result set was truncated due to an ingestion limit. Their types are not documented.
        incomplete: "warnings",
        incompleteWords: ["truncated", "ingestion"],
      },
      changedPath: "fields.updated",
      // Times in quotes are in the zone of the user and by the minute, milliseconds are not. The search shows recent changes late, and the vendor
      // does not say by how much.
      since: {
        to: "fill.changed",
        template: "updated >= {since} AND ",
        format: "unix-ms",
        overlapMinutes: 10,
      },
      create: { method: "POST", path: "/3/issue", wrap: { in: "fields" }, id: "id" },
      update: { method: "PUT", path: "/3/issue/{id}", wrap: { in: "fields" } },
      example: { summary: "Call Ada", project: { key: "ABC" }, issuetype: { name: "Task" } },
    },
    project: {
      list: {
        path: "/3/project/search",
        query: { expand: "description,lead,projectKeys,issueTypes,url,insight" },
        pageSize: { to: "query.maxResults", most: 100 },
      },
      // Without a status only live projects are listed.
      furtherLists: [{ query: { status: "archived" } }, { query: { status: "deleted" }, deleted: true }],
      records: "values",
      paging: { offset: { to: "query.startAt", next: "nextPage" } },
      total: "total",
      create: { method: "POST", path: "/3/project", id: "id" },
      update: { method: "PUT", path: "/3/project/{id}" },
      example: { key: "PENS", name: "Pens" },
    },
  },
  errors: {
    message: ["errorMessages.*", "errors.*", "message"],
    // With 401, although the token is valid: the app was not granted a scope.
    texts: { "scope does not match": "forbidden" },
  },
  sources: {
    documentation: "https://developer.atlassian.com/cloud/jira/platform/rest/v3",
    checked:
      "2026-11-28, a client made from the provider's OpenAPI file (6.2.0): search, paging, writes; the provider's page of times in JQL; the provider's community for states of projects; recorded refusals",
  },
};
