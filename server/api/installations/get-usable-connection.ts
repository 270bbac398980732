/** Finds the connection for an installation: the group's connection to the integration's provider. */
import { suggestName } from "../../../ground/closest.ts";
import { Problem } from "../../../ground/errors.ts";
import { findConnection, listConnections, type ConnectionRow } from "../../store/connections/connections.ts";
import { findGroup, listNearbyGroupRefs } from "../../store/access/customers.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import type { Integration } from "../integration.ts";

/** Finds the given connection, or the group's. Throws a 422 Problem; `member` is the connection's place in the request. */
export async function getUsableConnection(
  queries: SharedQueries,
  integration: Integration,
  asked: { groupRef: string; connectionId: string | undefined; member?: string; seesGroups?: boolean },
): Promise<ConnectionRow> {
  const { projectId, provider, name } = integration;
  const { groupRef, connectionId, member = "connectionId" } = asked;
  const connection = connectionId
    ? await findConnection(queries, projectId, connectionId)
    : (await listConnections(queries, projectId, { groupRef, provider }))[0];
  if (!connection) {
    if (connectionId)
      throw refuseConnection(member, `There is no connection \`${connectionId}\` in this project.`);
    if (await findGroup(queries, projectId, groupRef))
      throw refuseConnection(
        "groupRef",
        `The group \`${groupRef}\` has no connection to ${provider}. Connect it first.`,
      );
    const nearby = asked.seesGroups ? await listNearbyGroupRefs(queries, projectId, groupRef) : [];
    const hint = suggestName(groupRef, nearby, "Connect it first.");
    throw refuseConnection(
      "groupRef",
      `The group \`${groupRef}\` is unknown: it has no connection yet. ${hint}`,
    );
  }
  if (connection.provider !== provider) {
    const detail = `\`${name}\` is an integration of ${provider}, the connection is one to ${connection.provider}.`;
    throw refuseConnection(member, detail);
  }
  if (connection.group.groupRef !== groupRef) {
    const detail = `The connection belongs to the group \`${connection.group.groupRef}\`, not to \`${groupRef}\`.`;
    throw refuseConnection(member, detail);
  }
  return connection;
}

const refuseConnection = (name: string, detail: string): Problem =>
  new Problem("semantically-invalid", { detail, issues: [{ in: "body", name, detail }] });
