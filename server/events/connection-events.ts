/** Builds the events of a connection's life. */
import type { ConnectionFields, InstallationFields } from "./event-data.ts";
import type { NewEvent } from "./event-types.ts";

/** `created`, `updated` and `deleted` by people; `refreshed` when the access token was refreshed before its end. */
export const connectionEvent = (
  what: "created" | "refreshed" | "updated" | "deleted",
  fields: ConnectionFields,
): NewEvent => ({ projectId: fields.projectId, type: `connection.${what}`, data: fields });

/** `errors` are sentences for people; never a secret. */
export const connectionError = (fields: ConnectionFields, errors: string[]): NewEvent => ({
  projectId: fields.projectId,
  type: "connection.error",
  data: { ...fields, errors, error: errors },
});

/** That connections were removed with the installations that used them. */
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

/** What an event says of a connection, from its row. */
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
