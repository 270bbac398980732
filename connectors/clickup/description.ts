/** ClickUp's spaces, folders, lists, goals and tasks of one workspace. A new task names its list, as `list_id`. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

/** The first workspace that was agreed to is used. */
export const provider = oauth2("ClickUp", "https://api.clickup.com", {
  authorize: "https://app.clickup.com/api",
  token: "https://api.clickup.com/api/v2/oauth/token",
  declares: ["read", "write", "delete", "search"],
  postAuthInfoNeeded: true,
  accountInfo: {
    url: "https://api.clickup.com/api/v2/team",
    fields: [{ name: "teamId", displayName: "Workspace id", path: "teams.0.id" }],
  },
  metadata: { postAuthentication: [{ name: "teamId" }] },
});

/** Lists leave archived records out, and have only those when they are asked for. */
const furtherLists = [{ query: { archived: "true" } }];

const taskPages: ObjectRules = {
  paging: { page: { to: "query.page", first: 0 } },
  changedPath: "date_updated",
  since: {
    to: "query.date_updated_gt",
    format: "unix-ms",
    full: "2000-01-01T00:00:00Z",
    keyset: true,
    exclusive: true,
  },
};

/** The size of pages cannot be chosen, so they go on by the time of change. It is in descending order unless that is reversed. */
const taskQuery = {
  include_closed: "true",
  subtasks: "true",
  include_markdown_description: "true",
  order_by: "updated",
  reverse: "true",
};

/** Archived tasks, and those of archived lists, are in the lists of single lists only. These leave out tasks that several lists have. */
const listTasksBelow = (object: string): ObjectRules => ({
  path: "tasks",
  singular: "task",
  modes: ["read"],
  parent: { object },
  list: { path: "/api/v2/list/{parent}/task", query: { ...taskQuery, include_timl: "true" } },
  furtherLists,
  ...taskPages,
});

/** With 401, although the token is valid: the user did not authorize it for this workspace. */
const TEAM_NOT_AUTHORIZED = Object.fromEntries(
  [23, 26, 27, ...Array.from({ length: 17 }, (_, index) => 29 + index)].map((number) => [
    `OAUTH_0${number}`,
    "forbidden" as const,
  ]),
);

export const description: Description = {
  defaults: {
    list: { path: "/api/v2/team/{connection.teamId}/{singular}" },
    records: "{path}",
    paging: { none: true },
    create: { method: "POST", path: "/api/v2/team/{connection.teamId}/{singular}" },
    update: { method: "PUT", path: "/api/v2/{singular}/{id}" },
    delete: { method: "DELETE", path: "/api/v2/{singular}/{id}" },
    get: { path: "/api/v2/{singular}/{id}" },
  },
  objects: {
    spaces: { singular: "space", furtherLists, example: { name: "Pens" } },
    folders: {
      singular: "folder",
      parent: { object: "spaces" },
      list: { path: "/api/v2/space/{parent}/folder" },
      furtherLists,
      create: { method: "POST", path: "/api/v2/space/{field.space_id}/folder" },
      example: { name: "Pens", space_id: "790" },
    },
    lists: {
      singular: "list",
      parent: { object: "folders" },
      list: { path: "/api/v2/folder/{parent}/list" },
      furtherLists,
      create: { method: "POST", path: "/api/v2/folder/{field.folder_id}/list" },
      example: { name: "Ink", folder_id: "457" },
    },
    // They are below a space, not a folder.
    folderlessLists: {
      path: "lists",
      singular: "list",
      parent: { object: "spaces" },
      list: { path: "/api/v2/space/{parent}/list" },
      furtherLists,
      create: { method: "POST", path: "/api/v2/space/{field.space_id}/list" },
      example: { name: "Paper", space_id: "790" },
    },
    goals: {
      singular: "goal",
      list: { path: "/api/v2/team/{connection.teamId}/goal", query: { include_completed: "true" } },
      // Those in folders of goals stand beside the others, in their folders.
      furtherLists: [{ records: "folders.*.goals" }],
      get: { path: "/api/v2/goal/{id}", record: "goal" },
      record: "goal",
      example: { name: "Sell pens" },
    },
    tasks: {
      singular: "task",
      list: { path: "/api/v2/team/{connection.teamId}/task", query: taskQuery },
      ...taskPages,
      create: { method: "POST", path: "/api/v2/list/{field.list_id}/task" },
      get: { path: "/api/v2/{singular}/{id}?include_markdown_description=true" },
      example: { name: "Call Ada", list_id: "901" },
    },
    listTasks: { ...listTasksBelow("lists"), example: { name: "Call Ada" } },
    folderlessListTasks: { ...listTasksBelow("folderlessLists"), example: { name: "Call Bo" } },
  },
  errors: { message: ["err"], code: "ECODE", codes: TEAM_NOT_AUTHORIZED },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://developer.clickup.com/reference",
    checked:
      "2026-11-28, a copy of ClickUp's OpenAPI file of 2026-08-02, goals in folders also by another copy; what the lists of tasks leave out, and that their order by change begins with the oldest where it is reversed, is from other connectors: ClickUp's own page says only that `reverse` reverses it",
  },
};
