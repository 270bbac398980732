/** Capsule's objects. An update by PUT changes only the fields it names. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Capsule", "https://api.capsulecrm.com/api", {
  authorize: "https://api.capsulecrm.com/oauth/authorise",
  token: "https://api.capsulecrm.com/oauth/token",
  needsScopes: true,
  declares: ["read", "write", "delete", "search"],
});

/** Records that changed exactly then are not among them: "after this date". */
const changed = { to: "query.since", format: "rfc3339-seconds" as const, exclusive: true };

/** One answer has all that were deleted since the bound. Records that others may no longer see are beside them, and are not deleted. */
const furtherLists: ObjectRules["furtherLists"] = [
  { list: { path: "/v2/{path}/deleted" }, paging: { none: true }, changedPath: "deletedAt", deleted: true },
];

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: {
      path: "/v2/{path}",
      query: { embed: "fields,tags,missingImportantFields" },
      pageSize: { to: "query.perPage", most: 100 },
    },
    records: "{path}",
    paging: { page: { to: "query.page", first: 1, anySize: true, next: "header.Link" } },
    changedPath: "updatedAt",
    create: { method: "POST", path: "/v2/{path}", wrap: { in: "{singular}" } },
    update: { method: "PUT", path: "/v2/{path}/{id}", wrap: { in: "{singular}" } },
    delete: { method: "DELETE", path: "/v2/{path}/{id}" },
    get: { path: "/v2/{path}/{id}?embed=fields,tags,missingImportantFields", record: "{singular}" },
    record: "{singular}",
  },
  objects: {
    parties: {
      singular: "party",
      since: changed,
      furtherLists,
      example: { type: "person", firstName: "Ada" },
    },
    opportunities: { singular: "opportunity", since: changed, furtherLists, example: { name: "Pens" } },
    kases: {
      singular: "kase",
      since: changed,
      furtherLists,
      update: {
        method: "PUT",
        path: "/v2/{path}/{id}",
        wrap: { in: "{singular}" },
        // A project's owner is cleared where an update names its team alone, and the other way round.
        together: [["owner.id", "team.id"]],
      },
      example: { name: "Move" },
    },
    // Without the states, only open tasks are listed.
    tasks: {
      singular: "task",
      list: {
        path: "/v2/{path}",
        query: { status: "open,completed,pending" },
        pageSize: { to: "query.perPage", most: 100 },
      },
      get: { path: "/v2/{path}/{id}", record: "{singular}" },
      example: { description: "Call Ada" },
    },
  },
  errors: { message: ["errors.*.message", "message", "error"], field: "field" },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://developer.capsulecrm.com",
    checked:
      "2026-11-28, Capsule’s pages of parties, opportunities, projects and tasks; the order of lists and the statuses of writes were not found; copies of the pages of deleted parties, opportunities and projects by others. Deletions of tasks are not told. An update of a project that names its owner or its team clears the other, as others tried out: what is left out is read before, and sent as it is",
  },
};
