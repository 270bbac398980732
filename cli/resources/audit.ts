/** The audit of the organisation as a resource: who changed what. */
import { encodeStep } from "../http/api.ts";
import { listObjectsAt, requireObject, getTextAt, type JsonObject } from "../http/json.ts";
import { joinByComma, DEFAULT_LIMIT, id, text, time, type Resource } from "./resource.ts";

export const AUDIT: Resource = {
  plural: "audit",
  singular: "audit-event",
  filters: ["actor", "limit"],
  columns: {
    TIME: time("time"),
    ACTOR: (row) => getTextAt(row, "actor.name") ?? getTextAt(row, "actor.id") ?? "system",
    OPERATION: text("operationId"),
    TARGET: (row) => getTextAt(row, "target.name") ?? getTextAt(row, "target.id") ?? "",
    CHANGED: joinByComma("changed"),
    OUTCOME: (row) => [getTextAt(row, "outcome"), formatTimes(row)].filter(Boolean).join(" "),
    REQUEST: id("requestId"),
  },
  async list(deps, { actor, limit = DEFAULT_LIMIT }) {
    const orgId = getTextAt(requireObject(await deps.inProject("GET", "")), "orgId") ?? "";
    const query = { pageSize: String(Math.min(limit, 200)), actor };
    return listObjectsAt(
      await deps.api("GET", `/v1/orgs/${encodeStep(orgId)}/audit-events`, { query }),
      "results",
    );
  },
};

/** Formats how many times an agent repeated the call. */
const formatTimes = ({ count }: JsonObject): string => (typeof count === "number" ? `×${count}` : "");
