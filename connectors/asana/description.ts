/** Asana's objects of one workspace. It has no list of all tasks: they are read project by project, user by user and task by task. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

/** The first workspace of the user is used. */
export const provider = oauth2("Asana", "https://app.asana.com/api", {
  authorize: "https://app.asana.com/-/oauth_authorize",
  token: "https://app.asana.com/-/oauth_token",
  tokenAuth: "body",
  tokenFields: { consumerRefField: "data.id" },
  declares: ["read", "write", "delete", "search"],
  postAuthInfoNeeded: true,
  accountInfo: {
    url: "https://app.asana.com/api/1.0/users/me",
    fields: [{ name: "workspaceId", displayName: "Workspace id", path: "data.workspaces.0.gid" }],
  },
  metadata: { postAuthentication: [{ name: "workspaceId" }] },
});

const ofWorkspace = { workspace: "{connection.workspaceId}" };

/**
 * Without names, Asana's lists have the name alone. A read of all fields names those that Asana documents, without deprecated ones and those that
 * only come on request or need a scope of their own: `memberships` and `actual_time_minutes` of tasks, `team` of projects.
 * Custom fields and their settings need none: older copies of Asana's file name `custom_fields:read`, which Asana took out for fields on
 * 2025-09-08 and for settings on 2026-02-02.
 */
const buildList = (path: string, names: string, query: Record<string, string> = {}): ObjectRules["list"] => ({
  path,
  query: { ...query, opt_fields: names },
  pageSize: { to: "query.limit", most: 100 },
});

const PROJECT =
  "name,archived,color,completed,completed_at,completed_by,created_at,created_from_template,current_status,current_status_update," +
  "custom_field_settings,custom_fields,default_access_level,default_view,due_on,followers,icon,members," +
  "minimum_access_level_for_customization,minimum_access_level_for_sharing,modified_at,notes,owner,permalink_url,privacy_setting," +
  "project_brief,start_on,workspace";

const TASK =
  "name,approval_status,assigned_by,assignee,assignee_section,completed,completed_at,completed_by,created_at," +
  "custom_fields,custom_type,custom_type_status_option,due_at,due_on,followers,liked,likes,modified_at,notes,num_likes,parent," +
  "permalink_url,projects,resource_subtype,start_at,start_on,tags,workspace";

const PORTFOLIO =
  "name,color,created_at,created_by,current_status_update,custom_field_settings,custom_fields,default_access_level,due_on,members,owner," +
  "permalink_url,privacy_setting,project_templates,public,start_on,workspace";

const TEAM =
  "name,description,custom_field_settings,edit_team_name_or_description_access_level,edit_team_visibility_or_trash_team_access_level," +
  "endorsed,guest_invite_management_access_level,join_request_management_access_level,member_invite_management_access_level,organization," +
  "permalink_url,team_content_management_access_level,team_member_removal_access_level,visibility";

const CUSTOM_FIELD =
  "name,type,description,asana_created_field,created_by,currency_code,custom_label,custom_label_position,default_access_level,enum_options," +
  "format,has_notifications_enabled,id_prefix,input_restrictions,is_formula_field,is_global_to_workspace,is_value_read_only,precision," +
  "privacy_setting,representation_type,resource_subtype";

export const description: Description = {
  ids: { pattern: "[0-9]{1,30}" },
  defaults: {
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
    projects: {
      list: buildList("/1.0/projects", PROJECT, ofWorkspace),
      changedPath: "modified_at",
      example: { name: "Launch" },
    },
    tags: {
      list: buildList(
        "/1.0/tags",
        "name,color,created_at,followers,notes,permalink_url,workspace",
        ofWorkspace,
      ),
      example: { name: "Pens" },
    },
    tasks: {
      parent: { object: "projects" },
      list: buildList("/1.0/tasks", TASK, { project: "{parent}" }),
      changedPath: "modified_at",
      since: { to: "query.modified_since" },
      example: { name: "Call Ada" },
    },
    assignedTasks: {
      path: "tasks",
      modes: ["read"],
      parent: { object: "users" },
      list: buildList("/1.0/tasks", TASK, { assignee: "{parent}", ...ofWorkspace }),
      changedPath: "modified_at",
      since: { to: "query.modified_since" },
      example: { name: "Call Bo" },
    },
    // Those of the tasks of projects: a request for each task.
    subtasks: {
      path: "tasks",
      modes: ["read"],
      parent: { object: "tasks" },
      list: buildList("/1.0/tasks/{parent}/subtasks", TASK),
      changedPath: "modified_at",
      example: { name: "Find the number" },
    },
    sections: {
      parent: { object: "projects" },
      list: buildList("/1.0/projects/{parent}/sections", "name,created_at,project"),
      create: { method: "POST", path: "/1.0/projects/{field.project}/sections", wrap: { in: "data" } },
      example: { name: "Doing", project: "67890" },
    },
    // Without an owner: those of the user, and all of the workspace for a service account.
    portfolios: {
      list: buildList("/1.0/portfolios", PORTFOLIO, ofWorkspace),
      example: { name: "Launches" },
    },
    workspaces: {
      modes: ["read", "update"],
      list: buildList("/1.0/workspaces", "name,email_domains,is_organization"),
    },
    users: {
      modes: ["read"],
      list: buildList("/1.0/users", "name,email,photo,workspaces,custom_fields", ofWorkspace),
    },
    teams: {
      modes: ["read", "create", "update"],
      create: {
        method: "POST",
        path: "/1.0/teams",
        wrap: { in: "data" },
        also: { organization: "{connection.workspaceId}" },
      },
      example: { name: "Writers" },
      list: buildList("/1.0/workspaces/{connection.workspaceId}/teams", TEAM),
    },
    custom_fields: {
      modes: ["read"],
      list: buildList("/1.0/workspaces/{connection.workspaceId}/custom_fields", CUSTOM_FIELD),
    },
  },
  errors: { message: ["errors.*.message"] },
  sources: {
    documentation: "https://developers.asana.com/reference/rest-api-reference",
    checked:
      "2026-11-28, Asana's OpenAPI file of 2026-06-11. Of a user with several workspaces, the first is read",
  },
};
