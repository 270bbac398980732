/** The resource `group`: a customer; deleting one erases everything of it. */
import { encodeStep } from "../http/api.ts";
import { isObject, requireObject, getValueAt, type JsonObject } from "../http/json.ts";
import { listGroupDependents } from "./dependents.ts";
import { getAt, id, listPages, status, text, time, type Resource } from "./resource.ts";

const readCount = (member: string) => (row: JsonObject) => String(getValueAt(row, member) ?? "");

export const GROUPS: Resource = {
  plural: "groups",
  singular: "group",
  filters: ["limit"],
  columns: {
    GROUP: id("groupRef"),
    NAME: text("groupName"),
    HEALTH: status("healthStatus"),
    CONNECTIONS: readCount("connectionCount"),
    INSTALLATIONS: readCount("installationCount"),
    "LAST ACTIVITY": time("lastActivityTime"),
  },
  list: (deps, { limit }) => listPages(deps, "/groups", { ...(limit !== undefined && { limit }), query: {} }),
  get: getAt("/groups"),
  // The server works for 20 s at a time.
  async remove({ inProject, out }, name) {
    for (;;) {
      const receipt = requireObject(await inProject("DELETE", `/groups/${encodeStep(name)}`));
      const erased = getValueAt(receipt, "erased");
      const counts = Object.entries(isObject(erased) ? erased : {}).filter(([, count]) => count !== 0);
      if (counts.length > 0)
        out.note(`erased ${counts.map(([what, count]) => `${count} ${what}`).join(", ")}`);
      if (getValueAt(receipt, "done") === true) return;
    }
  },
  takesAlong: "everything that Busbar has of this customer, for good",
  listDependents: listGroupDependents,
};
