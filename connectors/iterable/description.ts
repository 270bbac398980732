/** Iterable: users are written by their address or their own id, lists and campaigns are created; lists of all kinds are read. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = headerKey("Iterable", "https://{{.subdomain}}.iterable.com", "Api-Key", {
  docs: "https://app.iterable.com/settings/apiKeys",
  declares: ["read", "write", "delete", "search", batchWrite(1000)],
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt: "Your data centre: api (United States) or api.eu (Europe).",
      defaultValue: "api",
    },
  ],
});

/** A bulk update names the users that it refused, by reason. */
const listRefused = (kind: "Emails" | "UserIds") =>
  Object.entries({
    invalid: "the address or id is not valid",
    invalidData: "a value does not have the type of its field",
    conflict: "the address or id belongs to another user",
    forgotten: "the user was forgotten",
    notFound: "there is no such user",
    failed: "the update failed",
  }).map(([name, reason]) => ({ at: `failedUpdates.${name}${kind}`, reason }));

/** Otherwise an update of a part of an object, such as an address, would clear the rest. */
const MERGED = { mergeNestedObjects: true };

/**
 * An update creates the user if there is none, so it is an upsert. Iterable stores it up to a minute later: it is not read back.
 * There is no list of users.
 */
const describeUsers = (key: string, path: string): ObjectRules => ({
  modes: ["delete"],
  upsert: {
    method: "POST",
    path: "/api/users/update",
    keys: [key],
    keyValueTo: "body.{key}",
    keyIsId: true,
    body: MERGED,
    wrap: { in: "dataFields" },
    empty: true,
  },
  batch: {
    upsert: {
      method: "POST",
      path: "/api/users/bulkUpdate",
      most: 1000,
      to: "users",
      each: "dataFields",
      also: MERGED,
      ref: { of: key, from: "" },
      refused: listRefused(key === "email" ? "Emails" : "UserIds"),
    },
  },
  delete: { method: "DELETE", path },
  metadata: {
    label: "User",
    list: {
      path: "/api/users/getFields",
      records: "fields",
      keyed: true,
      name: "name",
      nameHasDots: true,
      type: "type",
      types: { string: "string", long: "int", double: "float", boolean: "boolean", date: "datetime" },
    },
  },
  example: { firstName: "Ada" },
});

const changed: ObjectRules = { changedPath: "updatedAt" };

/** In the order of ids, by page; a request without a page is not described (Iterable/api-client 981eeb5, 2026-07-09). */
const listInPages = (name: string, most: number): ObjectRules => ({
  list: { path: "/api/{path}", pageSize: { to: "query.pageSize", most } },
  paging: { page: { to: "query.page", first: 1, anySize: true, next: "nextPageUrl" } },
  total: `total${name}Count`,
});

export const description: Description = {
  // Addresses are ids of users.
  ids: { pattern: "[A-Za-z0-9_][A-Za-z0-9_.+@'-]{0,254}" },
  defaults: {
    modes: ["read"],
    list: { path: "/api/{path}" },
    records: "{path}",
    paging: { none: true },
  },
  objects: {
    users: describeUsers("email", "/api/users/{id}"),
    usersByUserId: describeUsers("userId", "/api/users/byUserId/{id}"),
    lists: {
      modes: ["read", "create", "delete"],
      create: { method: "POST", path: "/api/lists", id: "listId" },
      delete: { method: "DELETE", path: "/api/lists/{id}" },
      example: { name: "Pens" },
    },
    campaigns: {
      ...changed,
      ...listInPages("Campaigns", 1000),
      // Iterable does not say whether the list has archived ones; that of journeys has none. One that both lists have is read twice.
      furtherLists: [{ query: { campaignState: "Archived" } }],
      modes: ["read", "create"],
      create: { method: "POST", path: "/api/campaigns/create", id: "campaignId" },
      get: { path: "/api/campaigns/{id}" },
      example: { name: "Pens", templateId: 1, listIds: [1] },
    },
    templates: { ...changed, ...listInPages("Templates", 1000), idPath: "templateId" },
    channels: {},
    messageTypes: changed,
    webhooks: {},
    journeys: {
      ...changed,
      ...listInPages("Journeys", 50),
      furtherLists: [{ query: { state: "Archived" } }],
    },
    catalogs: {
      list: { path: "/api/{path}", pageSize: { to: "query.pageSize", most: 100 } },
      modes: ["read", "delete"],
      records: "params.catalogNames",
      idPath: "name",
      paging: { page: { to: "query.page", first: 1, anySize: true, next: "params.nextPageUrl" } },
      total: "params.totalCatalogsCount",
      delete: { method: "DELETE", path: "/api/catalogs/{id}" },
    },
  },
  errors: {
    message: ["msg"],
    code: "code",
    codes: {
      UnknownEmailError: "not_found",
      UnknownUserIdError: "not_found",
      EmailAlreadyExists: "conflict",
      UserIdAlreadyExists: "conflict",
    },
  },
  sources: {
    documentation: "https://api.iterable.com/api/docs",
    checked:
      "2026-11-27, Iterable's OpenAPI file 1.8 and client of July 2026, and recorded answers of another project: all but the order of catalogs, and whether archived campaigns are listed without being asked for",
  },
};
