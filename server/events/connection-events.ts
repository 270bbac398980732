/** Builds the events about connections. */
import type { ConnectionFields, InstallationFields } from "./event-data.ts";
import type { NewEvent } from "./event-types.ts";

/** `created`, `updated` and `deleted` are caused by people, `refreshed` by a token refresh. */
export const connectionEvent = (
  what: "created" | "refreshed" | "updated" | "deleted",
  fields: ConnectionFields,
): NewEvent => ({ projectId: fields.projectId, type: `connection.${what}`, data: fields });

/** `errors` are sentences for people, without secrets. */
export const connectionError = (fields: ConnectionFields, errors: string[]): NewEvent => ({
  projectId: fields.projectId,
  type: "connection.error",
  data: { ...fields, errors, error: errors },
});

/** Builds the events for connections that were deleted together with their last installation. */
export function removedConnections(removedIds: string[], installations: InstallationFields[]): NewEvent[] {
  const byId = new Map(installations.map((fields) => [fields.connectionId, fields]));
  return removedIds.flatMap((id) => {
    const fields = byId.get(id);
    if (!fields) return [];
    const { projectId, connectionId, provider, groupRef, consumerRef, consumerName } = fields;
    return [
      connectionEvent("deleted", {
        projectId,
        connectionId,
        provider,
        groupRef,
        consumerRef,
        consumerName,
      }),
    ];
  });
}

/** Returns an event's fields about a connection, from its row. */
export const connectionFields = (row: {
  id: string;
  projectId: string;
  provider: string;
  group: { groupRef: string };
  consumer: { consumerRef: string; consumerName: string };
}): ConnectionFields => ({
  projectId: row.projectId,
  connectionId: row.id,
  provider: row.provider,
  groupRef: row.group.groupRef,
  consumerRef: row.consumer.consumerRef,
  consumerName: row.consumer.consumerName,
});
