/** ClickUp's spaces, goals and tasks of one workspace. A new task needs a list in its address, which a description cannot say. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  defaults: {
    list: { path: "/api/v2/team/{connection.teamId}/{singular}" },
    records: "{path}",
    paging: { none: true },
    since: {},
    create: { method: "POST", path: "/api/v2/team/{connection.teamId}/{singular}" },
    update: { method: "PUT", path: "/api/v2/{singular}/{id}" },
    delete: { method: "DELETE", path: "/api/v2/{singular}/{id}" },
    get: { path: "/api/v2/{singular}/{id}" },
  },
  objects: {
    spaces: { singular: "space", example: { name: "Pens" } },
    goals: {
      singular: "goal",
      get: { path: "/api/v2/goal/{id}", record: "goal" },
      record: "goal",
      example: { name: "Sell pens" },
    },
    tasks: {
      singular: "task",
      modes: ["read", "update", "delete"],
      list: {
        path: "/api/v2/team/{connection.teamId}/task",
        query: { include_closed: "true", subtasks: "true", order_by: "id" },
      },
      paging: { page: { to: "query.page", first: 0 } },
      changedPath: "date_updated",
      since: { to: "query.date_updated_gt", format: "unix-ms" },
      example: { name: "Call Ada" },
    },
  },
  errors: { message: ["err"], code: "ECODE", codes: { OAUTH_027: "forbidden" } },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://developer.clickup.com/reference",
    checked: "2026-11-23, documentation of the list of tasks; the rest was not looked up",
  },
};
