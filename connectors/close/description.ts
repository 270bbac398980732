/** Close's objects. Paths end in a slash; an update by PUT changes only the fields it names. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Close", "https://api.close.com", {
  authorize: "https://app.close.com/oauth2/authorize",
  token: "https://api.close.com/oauth2/token/",
  needsScopes: true,
  tokenFields: { workspaceRefField: "organization_id", consumerRefField: "user_id", scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
  authHealthCheck: { url: "https://api.close.com/api/v1/me" },
});

const buildList = (query: Record<string, string>) => ({
  path: "/api/v1/{path}/",
  query,
  pageSize: { to: "query._limit", most: 100 },
});

/**
 * The log of events has those of the last 30 days, the newest first. It knows a bound, which does not go with the cursor. Each type of tasks has a
 * name of its own there.
 */
const buildDeletions = (type: string): NonNullable<ObjectRules["furtherLists"]> => [
  {
    list: {
      path: "/api/v1/event/",
      query: { object_type: type, action: "deleted" },
      pageSize: { to: "query._limit", most: 50 },
    },
    paging: { cursor: { from: "cursor_next", to: "query._cursor" } },
    idPath: "object_id",
    changedPath: "date_updated",
    newestFirst: true,
    since: { overlapMinutes: 10, oldestDays: 30 },
    deleted: true,
  },
];

const loggedDeletions = buildDeletions("{path}");

const buildDateCondition = (place: string) => ({
  [`${place}.type`]: "regular_field",
  [`${place}.object_type`]: "{path}",
  [`${place}.field_name`]: "date_updated",
});

/**
 * Lists of leads and contacts know no filter, no order, and end at the largest `_skip`. Advanced Filtering goes on by the time of change; its
 * cursor, which dies after 30 seconds and reaches 10,000 records, is for records of one time only. It answers named fields only.
 */
const searchFiltered = (
  object: string,
  fields: string[],
): Pick<ObjectRules, "furtherLists" | "list" | "paging" | "since" | "select"> => ({
  furtherLists: loggedDeletions,
  list: {
    method: "POST",
    path: "/api/v1/data/search/",
    body: {
      "query.type": "and",
      "query.queries.0.type": "object_type",
      "query.queries.0.object_type": "{path}",
      "query.queries.1.type": "field_condition",
      ...buildDateCondition("query.queries.1.field"),
      "query.queries.1.condition.type": "moment_range",
      "query.queries.1.condition.on_or_after.type": "fixed_utc",
      "sort.0.direction": "asc",
      ...buildDateCondition("sort.0.field"),
      [`_fields.${object}`]: [...fields, ...STAMPS],
    },
    pageSize: { to: "body._limit", most: 100 },
  },
  paging: { cursor: { from: "cursor", to: "body.cursor" } },
  since: {
    to: "body.query.queries.1.condition.on_or_after.value",
    full: "1970-01-01T00:00:00Z",
    keyset: true,
  },
  select: { to: `body._fields.${object}` },
});

/** `custom` stands for all custom fields. */
const STAMPS = [
  "custom",
  "integration_links",
  "organization_id",
  "created_by",
  "created_by_name",
  "updated_by",
  "updated_by_name",
  "date_created",
  "date_updated",
];

export const description: Description = {
  ids: { pattern: "[a-z]+_[A-Za-z0-9]{1,64}" },
  defaults: {
    list: { path: "/api/v1/{path}/", pageSize: { to: "query._limit", most: 100 } },
    records: "data",
    paging: { offset: { to: "query._skip", more: "has_more" } },
    changedPath: "date_updated",
    create: { method: "POST", path: "/api/v1/{path}/" },
    update: { method: "PUT", path: "/api/v1/{path}/{id}/" },
    delete: { method: "DELETE", path: "/api/v1/{path}/{id}/" },
    get: { path: "/api/v1/{path}/{id}/" },
  },
  objects: {
    lead: {
      ...searchFiltered("lead", [
        "id",
        "name",
        "display_name",
        "description",
        "url",
        "html_url",
        "status_id",
        "status_label",
        "source",
        "addresses",
        "primary_address_summary",
        "primary_email",
        "primary_phone",
        "contact_ids",
        "contacts",
        "contacts_summary",
        "opportunities",
        "tasks",
        "recent_calls",
        "summaries",
      ]),
      example: { name: "Quill Ltd" },
    },
    contact: {
      ...searchFiltered("contact", [
        "id",
        "lead_id",
        "name",
        "display_name",
        "title",
        "emails",
        "phones",
        "urls",
        "timezone",
        "timezone_source",
        "subscriptions",
        "recent_calls",
      ]),
      example: { name: "Ada", lead_id: "lead_1" },
    },
    opportunity: {
      furtherLists: loggedDeletions,
      // Beyond the largest `_skip`, the list goes on by time.
      list: buildList({ _order_by: "date_updated" }),
      total: "total_results",
      since: { to: "query.date_updated__gte", full: "1970-01-01T00:00:00Z", keyset: true },
      example: { lead_id: "lead_1", note: "Pens" },
    },
    // Without the type, only tasks of leads are listed.
    task: {
      furtherLists: buildDeletions("task.lead"),
      list: buildList({ _type: "all", _order_by: "date_created" }),
      since: { to: "query.date_updated__gte" },
      example: { text: "Call Ada" },
    },
  },
  errors: { message: ["error", "error.message", "errors.*", "field-errors.*"] },
  sources: {
    documentation: "https://developer.close.com",
    checked:
      "2026-11-28, Close’s OpenAPI file in a copy of 2026-06, its pages about paging, tasks and Advanced Filtering, and of events, from which deletions of leads, contacts, opportunities and tasks of leads of the last 30 days are read; the form of its filter by time, which the pages do not show, is from two connectors of others. The largest `_limit` and `_skip` vary by resource and are not named: a list of tasks that is longer fails and says so. Of leads and contacts, an object with all fields has those that Close documents, and `custom`",
  },
};
