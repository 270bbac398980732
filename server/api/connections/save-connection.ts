/** Stores new credentials: in a new connection, or in the connection that the group already has. */
import { tryCredentials, type TrialServices } from "../../calls/try-credentials.ts";
import { buildConnectionEvent, pickConnectionFields } from "../../events/new-events.ts";
import { queueEvent } from "../../events/record-event.ts";
import { credentialColumns, refreshWhenDue } from "../../credentials/stored/credential-columns.ts";
import type { StoredCredentials } from "../../credentials/stored/credential-envelope.ts";
import { Problem } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import type { Sealer } from "../../../ground/seal.ts";
import {
  insertConnection,
  lockConnection,
  lockGroupConnection,
  updateConnection,
  type ConnectionRow,
  type ProviderMetadata,
  type TrialState,
} from "../../store/connections/connections.ts";
import { upsertConsumer, upsertGroup } from "../../store/access/customers.ts";
import { isUniqueViolation, transactControl } from "../../store/database/database.ts";
import type { ControlQueries, SharedQueries } from "../../store/database/sides.ts";
import { findProviderApp } from "../../store/connections/provider-apps.ts";
import { holdProvider } from "../hold-provider.ts";
import { getConnectionRow } from "./connection.ts";

interface WantedConnection {
  projectId: string;
  provider: string;
  providerAppId?: string;
  /** The connection to update. Default: the group's connection, or a new one. */
  connectionId?: string;
  /** If true, a group with a connection to the provider is refused, unless that one has bad credentials. */
  mustBeNew?: boolean;
  groupRef: string;
  groupName?: string;
  consumerRef: string;
  consumerName?: string;
  providerWorkspaceRef?: string;
  providerConsumerRef?: string;
  providerMetadata: ProviderMetadata;
  credentials: StoredCredentials;
}

/**
 * Tries the credentials and returns the stored connection. Throws a 404 Problem if the connection to update is gone, 409 if it must be new
 * and is not, and 422 if the provider refuses the credentials.
 */
export async function saveConnection(deps: TrialServices, wanted: WantedConnection): Promise<ConnectionRow> {
  const { credentials, ...trial } = await tryCredentials(deps, wanted);
  const tried = { ...wanted, credentials, trial };
  const save = () => transactControl(deps.database, (queries) => saveIn(queries, deps, tried));
  try {
    return await save();
  } catch (error) {
    // A concurrent consent of the same group has inserted the row; update it.
    if (!isUniqueViolation(error, "connections_project_id_group_id_provider_key")) throw error;
    return save();
  }
}

async function saveIn(
  queries: ControlQueries,
  deps: TrialServices,
  wanted: WantedConnection & { trial: TrialState },
): Promise<ConnectionRow> {
  const { projectId, provider, groupRef, groupName, consumerRef, consumerName } = wanted;
  await holdProvider(queries, deps.catalog, { projectId, provider });
  await requireApp(queries, wanted);
  const group = await upsertGroup(queries, { projectId, groupRef, groupName }, deps.database.mainWeight);
  const consumer = await upsertConsumer(queries, { projectId, consumerRef, consumerName });
  const existing = wanted.connectionId
    ? await lockConnection(queries, projectId, wanted.connectionId)
    : await lockGroupConnection(queries, projectId, group.id, provider);
  // One with bad credentials is of no use to anybody: the new credentials heal it.
  if (existing && wanted.mustBeNew && existing.status !== "bad_credentials") throw existsAlready(wanted);
  const id = existing?.id ?? wanted.connectionId ?? newId();
  const columns = toColumns(deps.sealer, { id, projectId }, wanted);
  if (existing) {
    await updateConnection(queries, projectId, id, {
      ...columns,
      consumerId: consumer.id,
      trial: wanted.trial,
    });
  } else if (wanted.connectionId === undefined) {
    const { accessExpireTime, ...rest } = columns;
    const expiry = accessExpireTime ? { accessExpireTime } : {};
    await insertConnection(queries, {
      id,
      projectId,
      provider,
      groupId: group.id,
      consumerId: consumer.id,
      ...rest,
      ...expiry,
      trial: wanted.trial,
    });
  }
  const row = await getConnectionRow(queries, projectId, id);
  await refreshWhenDue(queries, row, deps.catalog.of(projectId).find(provider), wanted.credentials);
  await queueEvent(
    queries,
    buildConnectionEvent(existing ? "updated" : "created", pickConnectionFields(row)),
  );
  return row;
}

/** Throws if the app is gone: it may have been deleted while the provider was asked, and the reference to it would fail. */
async function requireApp(
  queries: SharedQueries,
  { projectId, providerAppId, provider }: WantedConnection,
): Promise<void> {
  if (providerAppId === undefined || (await findProviderApp(queries, projectId, providerAppId))) return;
  throw new Problem("conflict", {
    detail: `The provider app for ${provider} was deleted while the connection was being stored. Repeat the request.`,
  });
}

function toColumns(sealer: Sealer, place: { id: string; projectId: string }, wanted: WantedConnection) {
  const { credentials, providerAppId, providerWorkspaceRef, providerConsumerRef, providerMetadata } = wanted;
  return {
    ...credentialColumns(sealer, place, credentials),
    providerAppId,
    providerWorkspaceRef,
    providerConsumerRef,
    providerMetadata,
  };
}

const existsAlready = ({ groupRef, provider }: WantedConnection): Problem =>
  new Problem("conflict", {
    detail: `The group \`${groupRef}\` has a connection to ${provider} already. Update or delete that one.`,
  });
