/** Asana's objects of one workspace. It has no list of all tasks: they are read project by project, user by user and task by task. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

const ofWorkspace = { workspace: "{connection.workspaceId}" };

export const description: Description = {
  ids: { pattern: "[0-9]{1,30}" },
  defaults: {
    list: { path: "/1.0/{path}", query: ofWorkspace, pageSize: { to: "query.limit", most: 100 } },
    records: "data",
    paging: { cursor: { from: "next_page.offset", to: "query.offset" } },
    select: { to: "query.opt_fields" },
    idPath: "gid",
    create: { method: "POST", path: "/1.0/{path}", wrap: { in: "data" }, also: ofWorkspace },
    update: { method: "PUT", path: "/1.0/{path}/{id}", wrap: { in: "data" } },
    delete: { method: "DELETE", path: "/1.0/{path}/{id}" },
    get: { path: "/1.0/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: {
    projects: { changedPath: "modified_at", example: { name: "Launch" } },
    tags: { example: { name: "Pens" } },
    tasks: {
      parent: { object: "projects" },
      list: {
        path: "/1.0/tasks",
        query: { project: "{parent}" },
        pageSize: { to: "query.limit", most: 100 },
      },
      changedPath: "modified_at",
      since: { to: "query.modified_since" },
      example: { name: "Call Ada" },
    },
    assignedTasks: {
      path: "tasks",
      modes: ["read"],
      parent: { object: "users" },
      list: {
        path: "/1.0/tasks",
        query: { assignee: "{parent}", ...ofWorkspace },
        pageSize: { to: "query.limit", most: 100 },
      },
      changedPath: "modified_at",
      since: { to: "query.modified_since" },
      example: { name: "Call Bo" },
    },
    // Those of the tasks of projects: a request for each task.
    subtasks: {
      path: "tasks",
      modes: ["read"],
      parent: { object: "tasks" },
      list: { path: "/1.0/tasks/{parent}/subtasks", pageSize: { to: "query.limit", most: 100 } },
      changedPath: "modified_at",
      example: { name: "Find the number" },
    },
    sections: {
      parent: { object: "projects" },
      list: { path: "/1.0/projects/{parent}/sections", pageSize: { to: "query.limit", most: 100 } },
      create: { method: "POST", path: "/1.0/projects/{field.project}/sections", wrap: { in: "data" } },
      example: { name: "Doing", project: "67890" },
    },
    // Without an owner: those of the user, and all of the workspace for a service account.
    portfolios: {
      list: {
        path: "/1.0/portfolios",
        query: ofWorkspace,
        pageSize: { to: "query.limit", most: 100 },
      },
      example: { name: "Launches" },
    },
    workspaces: {
      modes: ["read", "update"],
      list: { path: "/1.0/workspaces", pageSize: { to: "query.limit", most: 100 } },
    },
    users: { modes: ["read"] },
    teams: {
      modes: ["read", "create", "update"],
      create: {
        method: "POST",
        path: "/1.0/teams",
        wrap: { in: "data" },
        also: { organization: "{connection.workspaceId}" },
      },
      example: { name: "Writers" },
      list: {
        path: "/1.0/workspaces/{connection.workspaceId}/teams",
        pageSize: { to: "query.limit", most: 100 },
      },
    },
    custom_fields: {
      modes: ["read"],
      list: {
        path: "/1.0/workspaces/{connection.workspaceId}/custom_fields",
        pageSize: { to: "query.limit", most: 100 },
      },
    },
  },
  errors: { message: ["errors.*.message"] },
  sources: {
    documentation: "https://developers.asana.com/reference/rest-api-reference",
    checked:
      "2026-11-28, Asana's OpenAPI file of 2026-06-11. Of a user with several workspaces, the first is read",
  },
};
