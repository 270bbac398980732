/** The installation as the API shows it. */
import { Type, type Static } from "typebox";
import { described, describeTime } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { ConfigContentSchema, type ConfigContent } from "../../../manifest/installation-config.ts";
import { HealthReasonsSchema } from "../../events/event-data.ts";
import { listConnectionsById, type ConnectionRow } from "../../store/connections/connections.ts";
import type { Database } from "../../store/database/database.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import { findInstallation, type InstallationRow } from "../../store/integrations/installations.ts";
import { ConnectionSchema, toConnection } from "../connections/connection.ts";
import { GroupSchema, toGroup } from "../customers/customers.ts";
import { InstallationId, IntegrationId, ProjectId, CreateTime, toTimes, UpdateTime } from "../members.ts";
import { readInstallationStates, type InstallationState } from "./installation-states.ts";

export const SkipSampling = Type.Optional(
  Type.Boolean({
    description:
      "Whether to accept the configuration without comparing its objects and fields with the account's, and without reading a record as a sample. Default false.",
  }),
);

const ReadPauseSchema = Type.Object(
  {
    object: Type.String({ description: "The object's name in messages." }),
    by: Type.Enum(["api", "auto"], {
      description: "`api`: by `:pause`. `auto`: by Busbar, after repeated failures.",
    }),
    note: Type.Optional(Type.String({ description: "Note of the request." })),
    error: Type.Optional(Type.String({ description: "Why Busbar has paused it." })),
    time: describeTime("Since when."),
  },
  { title: "ReadPause", description: "An object that is not read by schedule until `:unpause`." },
);

const InstallationWarningSchema = Type.Object(
  {
    name: Type.String({
      description: "Place in the configuration, for example `config.content.write.objects.contacts`.",
    }),
    detail: Type.String({ description: "What will not work." }),
    remedy: Type.String({ description: "How to fix it." }),
  },
  { title: "InstallationWarning", description: "A fault that keeps nothing from being installed." },
);

export type InstallationWarning = Static<typeof InstallationWarningSchema>;

export const InstallationSchema = Type.Object(
  {
    id: InstallationId,
    projectId: ProjectId,
    integrationId: IntegrationId,
    group: described(GroupSchema, "The customer."),
    healthStatus: Type.Enum(["healthy", "unhealthy", "unknown"], {
      description:
        "`unhealthy` while there is any of `healthReasons`. `unknown` while the database (shard) with the customer's data is away.",
    }),
    healthReasons: HealthReasonsSchema,
    lastOperationStatus: Type.Optional(
      Type.Enum(["success", "failure", "in_progress"], { description: "Status of the latest operation." }),
    ),
    connection: described(ConnectionSchema, "The connection that the installation uses."),
    readPauses: Type.Array(ReadPauseSchema, {
      description: "Busbar's own: objects that are not read by schedule for now.",
    }),
    createTime: CreateTime,
    createdBy: Type.String({ description: "Who installed it, for example `api:create-installation`." }),
    updateTime: Type.Optional(UpdateTime),
    config: Type.Object(
      {
        id: Type.String({ description: "Id of this version of the configuration." }),
        revisionId: Type.String({ description: "The latest revision when the configuration was saved." }),
        createTime: CreateTime,
        createdBy: Type.String({ description: "Who saved the configuration, for example `consumer:ada`." }),
        content: described(ConfigContentSchema, "The customer's configuration."),
      },
      { description: "The customer's configuration." },
    ),
    warnings: Type.Optional(
      Type.Array(InstallationWarningSchema, {
        description:
          "Only in the answer to a creation or change: objects to write that the account does not have. Absent: none.",
      }),
    ),
  },
  {
    title: "Installation",
    description: "An integration installed for one customer, with the customer's configuration.",
  },
);

export type Installation = Static<typeof InstallationSchema>;
export type StoredInstallation = InstallationRow<ConfigContent>;

/** Without a state, the shard that has it is away. */
function toInstallation(
  row: StoredInstallation,
  connection: ConnectionRow,
  state: InstallationState | undefined,
): Installation {
  const { config } = row;
  const { pauses = [], reasons = [], lastOperationStatus } = state ?? {};
  return {
    id: row.id,
    projectId: row.projectId,
    integrationId: row.integrationId,
    group: toGroup(connection.group),
    healthStatus: state ? (reasons.length > 0 ? "unhealthy" : "healthy") : "unknown",
    healthReasons: reasons.map(({ type, name, detail, since }) => ({
      type,
      name,
      detail,
      since: since.toISOString(),
    })),
    ...(lastOperationStatus && {
      lastOperationStatus: lastOperationStatus as "success" | "failure" | "in_progress",
    }),
    connection: toConnection(connection),
    readPauses: pauses.map(({ messageName, pause: { by, note, error, time } }) => ({
      object: messageName,
      by,
      ...(note !== undefined && { note }),
      ...(error !== undefined && { error }),
      time,
    })),
    ...toTimes(row),
    createdBy: row.createdBy,
    config: { ...config, createTime: config.createTime.toISOString() },
  };
}

type Shown = Pick<Database, "control" | "data" | "shards">;

/** Returns the installations of these rows, and the names of shards that are away, in which the state of some is. */
export async function describeInstallations(
  database: Shown,
  projectId: string,
  rows: StoredInstallation[],
): Promise<{ installations: Installation[]; unavailable: string[] }> {
  // Not the copies, which may be late for an installation that was just made.
  const connections = await listConnectionsById(
    database.control,
    projectId,
    rows.map((row) => row.connectionId),
  );
  const ids = rows.map((row) => row.id);
  const { states, unavailable } = await readInstallationStates(database, ids);
  const installations = rows.flatMap((row) => {
    const connection = connections.get(row.connectionId);
    return connection ? [toInstallation(row, connection, states.get(row.id))] : [];
  });
  return { installations, unavailable };
}

/** Returns the installations of these rows. */
export const toInstallations = async (
  database: Shown,
  projectId: string,
  rows: StoredInstallation[],
): Promise<Installation[]> => (await describeInstallations(database, projectId, rows)).installations;

export const withWarnings = (installation: Installation, warnings: InstallationWarning[]): Installation =>
  warnings.length > 0 ? { ...installation, warnings } : installation;

/** Finds an installation of an integration. Throws a 404 Problem. */
export async function getInstallationRow(
  queries: SharedQueries,
  projectId: string,
  integrationId: string,
  id: string,
): Promise<StoredInstallation> {
  const row = await findInstallation<ConfigContent>(queries, projectId, id);
  if (row?.integrationId === integrationId) return row;
  throw new Problem("not-found", { detail: `There is no installation \`${id}\` of this integration.` });
}

/** Returns the installation of one row. Throws a 404 Problem if another request deleted it after the row was read. */
export async function showInstallation(database: Shown, row: StoredInstallation): Promise<Installation> {
  const [shown] = await toInstallations(database, row.projectId, [row]);
  if (!shown)
    throw new Problem("not-found", { detail: `The installation \`${row.id}\` was deleted meanwhile.` });
  return shown;
}
