/** GitLab's projects, groups and snippets: what is not below a project. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { custom } from "../../connector-kit/provider/declare-provider.ts";

export const provider = custom("GitLab", "https://gitlab.com", {
  customOpts: {
    headers: [{ name: "PRIVATE-TOKEN", valueTemplate: "{{.token}}" }],
    inputs: [
      {
        name: "token",
        displayName: "Access Token",
        prompt: "A personal, project or group access token with the scope api.",
        docsURL: "https://gitlab.com/-/user_settings/personal_access_tokens",
      },
    ],
  },
  declares: ["read", "write", "delete", "search"],
});

/** What somebody deletes is scheduled for deletion, for a week or more, and stays in the lists until it is gone for good. */
const deleted = { at: "marked_for_deletion_on" };

const numbered: ObjectRules = {
  paging: { page: { to: "query.page", first: 1, anySize: true, next: "header.Link" } },
};

/** Carried out later. */
const accepted = { method: "DELETE", path: "/api/v4/{path}/{id}", accepted: true } as const;

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/api/v4/{path}", pageSize: { to: "query.per_page", most: 100 } },
    paging: { link: true },
    create: { method: "POST", path: "/api/v4/{path}" },
    update: { method: "PUT", path: "/api/v4/{path}/{id}" },
    delete: { method: "DELETE", path: "/api/v4/{path}/{id}" },
    get: { path: "/api/v4/{path}/{id}" },
  },
  objects: {
    projects: {
      // Pages by number end at 50,000 projects.
      list: {
        path: "/api/v4/{path}",
        query: { membership: "true", statistics: "true", pagination: "keyset", order_by: "id" },
        pageSize: { to: "query.per_page", most: 100 },
      },
      get: { path: "/api/v4/{path}/{id}?statistics=true" },
      changedPath: "updated_at",
      delete: accepted,
      deleted,
      // The bound counts only in this order, in which projects that change move the others.
      since: {
        to: "query.updated_after",
        keyset: true,
        list: {
          path: "/api/v4/{path}",
          query: { membership: "true", statistics: "true", order_by: "updated_at", sort: "asc" },
          pageSize: { to: "query.per_page", most: 100 },
        },
      },
      example: { name: "pens" },
    },
    groups: {
      ...numbered,
      // By default they are sorted by name, which changes.
      list: {
        path: "/api/v4/{path}",
        query: { order_by: "id" },
        pageSize: { to: "query.per_page", most: 100 },
      },
      delete: accepted,
      deleted,
      example: { name: "quill", path: "quill" },
    },
    snippets: {
      ...numbered,
      changedPath: "updated_at",
      example: { title: "ink", files: [{ file_path: "ink.txt", content: "blue" }] },
    },
  },
  errors: { message: ["message.*.*.*", "message.*.*", "message.*", "message", "error_description", "error"] },
  limits: { reset: "ratelimit-reset" },
  sources: {
    documentation: "https://docs.gitlab.com/api/rest",
    checked:
      "2026-11-28, GitLab's OpenAPI file of 19.5 and its pages and source: projects, groups, snippets, refusals, rate limits",
  },
};
