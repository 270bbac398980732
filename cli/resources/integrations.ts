/** The integrations of a project, with the health of their installations and who deployed them. */
import { isObject, requireObjects, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import { listIntegrationDependents } from "./dependents.ts";
import { withAuthor } from "./names.ts";
import { markExtra, getAt, id, removeAt, text, time, type Resource } from "./resource.ts";

export const INTEGRATIONS: Resource = {
  plural: "integrations",
  singular: "integration",
  filters: ["provider"],
  columns: {
    NAME: text("name"),
    PROVIDER: text("provider"),
    ACTIONS: (row) =>
      ["read", "write", "subscribe", "proxy"]
        .filter((action) => isObject(getValueAt(row, `latestRevision.content.${action}`)))
        .join(", "),
    HEALTH: { kind: "status", text: describeHealth },
    REVISION: markExtra(text("latestRevision.number")),
    DEPLOYED: time("latestRevision.createTime"),
    BY: markExtra(text("author")),
    "REVISION ID": markExtra(id("latestRevision.id")),
    ID: id("id"),
  },
  withNames: withAuthor("latestRevision.createdBy"),
  async list(deps, { provider }) {
    const all = requireObjects(await deps.inProject("GET", "/integrations"));
    return provider ? all.filter((one) => getTextAt(one, "provider") === provider) : all;
  },
  get: getAt("/integrations"),
  remove: removeAt("/integrations"),
  takesAlong: "its revisions, its installations, and the connections that only they use",
  listDependents: listIntegrationDependents,
};

/** Returns how many installations work, or an empty text if there are none. */
function describeHealth(row: JsonObject): string {
  const all = Number(getValueAt(row, "installationCount") ?? 0);
  const unhealthy = Number(getValueAt(row, "unhealthyInstallationCount") ?? 0);
  if (all === 0) return "";
  return unhealthy === 0 ? `${all} healthy` : `${unhealthy} of ${all} unhealthy`;
}
