/** Subscriptions of an installation, the events of providers that they received, and the events of a project. */
import { requireObjects, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import { findInstallation } from "./find-installation.ts";
import { markExtra, id, listPages, prose, status, text, time, type Resource } from "./resource.ts";

export const SUBSCRIPTIONS: Resource = {
  plural: "subscriptions",
  singular: "subscription",
  filters: ["installation", "integration", "group"],
  columns: {
    OBJECT: text("objectName"),
    SOURCE: text("source"),
    STATE: status("state"),
    RECEIVED: text("counts.received"),
    DELIVERED: text("counts.delivered"),
    FILTERED: markExtra(text("counts.filtered")),
    "LAST EVENT": time("lastEventTime"),
    RECONCILIATION: text("reconciliation.state"),
    REASON: { text: listReasons, kind: "prose" },
  },
  list: async (deps, filters) =>
    requireObjects(await deps.inProject("GET", `${await findInstallation(deps, filters)}/subscriptions`)),
};

/** Why it does not use a faster source, or what a person must do, and its warnings. */
function listReasons(row: JsonObject): string {
  const warnings = getValueAt(row, "warnings");
  const all = [getTextAt(row, "reason"), ...(Array.isArray(warnings) ? warnings : [])];
  return all.filter((one) => typeof one === "string").join(" ");
}

export const SUBSCRIPTION_EVENTS: Resource = {
  plural: "subscription-events",
  singular: "subscription-event",
  filters: ["installation", "integration", "group", "object", "record", "status", "limit"],
  columns: {
    RECEIVED: time("receivedTime"),
    OBJECT: text("objectName"),
    RECORD: text("recordId"),
    EVENT: text("providerEventType"),
    OUTCOME: status("outcome"),
    REASON: prose("reason"),
    MESSAGE: id("messageId"),
    ID: markExtra(id("id")),
  },
  list: async (deps, { object, record, status: outcome, limit, ...of }) =>
    listPages(deps, `${await findInstallation(deps, of)}/subscription-events`, {
      ...(limit !== undefined && { limit }),
      query: { objectName: object, recordId: record, outcome },
    }),
};

export const EVENTS: Resource = {
  plural: "events",
  singular: "event",
  filters: ["installation", "group", "type", "limit"],
  columns: {
    TIME: time("time"),
    TYPE: text("type"),
    GROUP: text("groupRef"),
    DELIVERIES: (row) => {
      const all = [getValueAt(row, "deliveries") ?? []].flat();
      const missing = getTextAt(row, "missing");
      return all.map((one) => getTextAt(one, "status") ?? "").join(", ") || (missing ? `no ${missing}` : "");
    },
    ID: id("id"),
  },
  list: async (deps, { installation, group, type, limit }) =>
    listPages(deps, "/events", {
      ...(limit !== undefined && { limit }),
      query: { installationId: installation, groupRef: group, type },
    }),
};
