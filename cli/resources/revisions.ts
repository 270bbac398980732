/** The revisions of an integration: `busbar list revisions --integration crm`. */
import { UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { requireObject } from "../http/json.ts";
import { withAuthor } from "./names.ts";
import { markExtra, id, listPages, status, text, time, type Filters, type Resource } from "./resource.ts";

export const REVISIONS: Resource = {
  plural: "revisions",
  singular: "revision",
  filters: ["integration", "limit"],
  columns: {
    NUMBER: text("number"),
    CURRENT: status("current"),
    DEPLOYED: time("createTime"),
    BY: text("author"),
    ID: markExtra(id("id")),
  },
  withNames: withAuthor("createdBy"),
  list: async (deps, filters) =>
    listPages(deps, buildPath(filters), filters.limit === undefined ? {} : { limit: filters.limit }),
  get: async (deps, name, filters) =>
    requireObject(await deps.inProject("GET", `${buildPath(filters)}/${encodeStep(name)}`)),
};

function buildPath({ integration }: Filters): string {
  if (integration) return `/integrations/${encodeStep(integration)}/revisions`;
  throw new UsageFailure("Give --integration: revisions are listed per integration.");
}
