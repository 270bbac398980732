/** GitHub's gists, repositories and issues of the connected user. What is below a repository needs its owner and name. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("GitHub", "https://api.github.com", {
  authorize: "https://github.com/login/oauth/authorize",
  token: "https://github.com/login/oauth/access_token",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [
    { name: "X-GitHub-Api-Version", valueTemplate: "2022-11-28" },
    { name: "User-Agent", valueTemplate: "Busbar" },
  ],
});

export const description: Description = {
  defaults: {
    list: { path: "/{path}", pageSize: { to: "query.per_page", most: 100 } },
    paging: { page: { to: "query.page", first: 1, anySize: true, next: "header.Link" } },
    changedPath: "updated_at",
    // What changed "after the given time" is listed.
    since: { to: "query.since", format: "rfc3339-seconds", exclusive: true },
    create: { method: "POST", path: "/{path}" },
    update: { method: "PATCH", path: "/{path}/{id}" },
    delete: { method: "DELETE", path: "/{path}/{id}" },
  },
  objects: {
    gists: {
      get: { path: "/{path}/{id}" },
      example: { description: "Pens", files: { "pens.txt": { content: "Ink" } } },
    },
    repos: {
      path: "user/repos",
      modes: ["read", "create"],
      // By default they are sorted by name, which changes.
      list: {
        path: "/{path}",
        query: { sort: "created", direction: "asc" },
        pageSize: { to: "query.per_page", most: 100 },
      },
      example: { name: "pens" },
    },
    "user/emails": {
      modes: ["read", "create"],
      idPath: "email",
      since: {},
      // Several addresses may be added; the answer is their list.
      record: "0",
      example: { emails: ["ada@example.com"] },
    },
    "user/social_accounts": {
      modes: ["read", "create"],
      idPath: "url",
      since: {},
      record: "0",
      example: { account_urls: ["https://social.example.com/ada"] },
    },
    "user/codespaces": {
      idPath: "name",
      records: "codespaces",
      total: "total_count",
      since: {},
      get: { path: "/{path}/{id}" },
      create: { method: "POST", path: "/{path}", accepted: true },
      delete: { method: "DELETE", path: "/{path}/{id}", accepted: true },
      example: { repository_id: 1 },
    },
    // Its own `since` is an id.
    users: { modes: ["read"], since: {}, paging: { link: true } },
    "user/issues": {
      modes: ["read"],
      list: {
        path: "/{path}",
        query: { filter: "all", state: "all" },
        pageSize: { to: "query.per_page", most: 100 },
      },
    },
    issues: {
      modes: ["read"],
      list: {
        path: "/{path}",
        query: { filter: "all", state: "all" },
        pageSize: { to: "query.per_page", most: 100 },
      },
    },
  },
  // Both limits may be reported by 403, too.
  errors: {
    // Not every entry has a message; some forms are texts alone.
    message: ["errors.*.message|code", "errors.*", "message"],
    // A repository that GitHub has closed is refused with `block`.
    marks: ["documentation_url", "block"],
    field: "field",
    texts: { "rate limit": "rate_limited" },
  },
  limits: { reset: "x-ratelimit-reset", waitSeconds: 60 },
  sources: {
    documentation: "https://docs.github.com/en/rest",
    checked:
      "2026-11-28, GitHub's OpenAPI file as published in @octokit/openapi 23.0.2; documentation of rate limits and versions: 2022-11-28 is supported until March 2028 at least",
  },
};
