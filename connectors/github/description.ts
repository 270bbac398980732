/** GitHub's gists, repositories and issues of the connected user. What is below a repository needs its owner and name. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  defaults: {
    list: { path: "/{path}", pageSize: { to: "query.per_page", most: 100 } },
    paging: { link: true },
    changedPath: "updated_at",
    since: { to: "query.since", format: "rfc3339-seconds" },
    create: { method: "POST", path: "/{path}" },
    update: { method: "PATCH", path: "/{path}/{id}" },
    delete: { method: "DELETE", path: "/{path}/{id}" },
  },
  objects: {
    gists: {
      get: { path: "/{path}/{id}" },
      example: { description: "Pens", files: { "pens.txt": { content: "Ink" } } },
    },
    repos: { path: "user/repos", modes: ["read", "create"], example: { name: "pens" } },
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
      since: {},
      get: { path: "/{path}/{id}" },
      example: { repository_id: 1 },
    },
    // Its own `since` is an id.
    users: { modes: ["read"], since: {} },
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
  // A used up quota may be told by 403: the gate of the connection closes, and the call itself counts as forbidden.
  errors: { message: ["message", "errors.*.message"] },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://docs.github.com/en/rest",
    checked:
      "2026-11-22, documentation: gists, lists, paging; repositories, issues, users and what is below `user` from published connectors",
  },
};
