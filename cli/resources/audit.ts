/** The audit of the organisation as a resource: who changed what. */
import { encodeStep } from "../http/api.ts";
import { objectsAt, requireObject, textAt, type JsonObject } from "../http/json.ts";
import { commaList, DEFAULT_LIMIT, id, text, time, type Resource } from "./resource.ts";

export const AUDIT: Resource = {
  plural: "audit",
  singular: "audit-event",
  filters: ["actor", "limit"],
  columns: {
    TIME: time("time"),
    ACTOR: (row) => textAt(row, "actor.name") ?? textAt(row, "actor.id") ?? "system",
    OPERATION: text("operationId"),
    TARGET: (row) => textAt(row, "target.name") ?? textAt(row, "target.id") ?? "",
    CHANGED: commaList("changed"),
    OUTCOME: (row) => [textAt(row, "outcome"), formatTimes(row)].filter(Boolean).join(" "),
    REQUEST: id("requestId"),
  },
  async list(deps, { actor, limit = DEFAULT_LIMIT }) {
    const orgId = textAt(requireObject(await deps.inProject("GET", "")), "orgId") ?? "";
    const query = { pageSize: String(Math.min(limit, 200)), actor };
    return objectsAt(
      await deps.api("GET", `/v1/orgs/${encodeStep(orgId)}/audit-events`, { query }),
      "results",
    );
  },
};

/** Formats how many times an agent repeated the call. */
const formatTimes = ({ count }: JsonObject): string => (typeof count === "number" ? `×${count}` : "");
