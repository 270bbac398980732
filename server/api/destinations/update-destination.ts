/** PATCH /v1/projects/{projectIdOrName}/destinations/{destination} */
import { Type } from "typebox";
import { checkSettings, getDestinationType } from "../../deliver/destinations/check-settings.ts";
import {
  openDestinationSecrets,
  sealDestinationSecrets,
} from "../../deliver/destinations/destination-secrets.ts";
import { sendWaiting } from "../../deliver/destinations/destination-health.ts";
import type { Egress } from "../../egress/egress.ts";
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { type Database, isUniqueViolation, transactControl } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { updateDestination as updateRow, type DestinationRow } from "../../store/deliveries/destinations.ts";
import { DestinationIdOrName } from "../members.ts";
import { checkName } from "../names.ts";
import {
  DestinationSchema,
  getDestinationRow,
  MetadataSchema,
  OwnWritesSchema,
  SecretsSchema,
  refuseDestinationName,
  toDestination,
} from "./destination.ts";
import { refuseInUse } from "./refuse-in-use.ts";
import { maskDestination, type DestinationChange } from "./masked-destination.ts";

export interface UpdateServices {
  database: Database;
  sealer: Sealer;
  egress: Egress;
  log: Log;
}

export const updateDestination = (deps: UpdateServices) =>
  projectEndpoint({
    operationId: "updateDestination",
    tag: "Destinations",
    summary: "Update a destination",
    description:
      "By id or name. `updateMask` may list `name`, `ownWrites`, `metadata`, `metadata.<member>` and `secrets.<member>`; " +
      "null removes a member. The result is checked as a whole. What waits after failed attempts is sent at once. Setting `metadata.url` enables a disabled " +
      "destination.",
    params: Type.Object({ destination: DestinationIdOrName }),
    body: Type.Object({
      updateMask: Type.Array(Type.String(), {
        maxItems: 100,
        description:
          "Paths of the members to change, with dots. Members of the body that it does not list are ignored.",
      }),
      destination: Type.Object(
        {
          name: Type.Optional(
            Type.String({ description: "Name of the destination, unique in the project." }),
          ),
          type: Type.Optional(Type.String({ description: "Type of the destination. Cannot be changed." })),
          metadata: Type.Optional(MetadataSchema),
          secrets: Type.Optional(SecretsSchema),
          ownWrites: OwnWritesSchema,
        },
        { description: "New values of the members listed in `updateMask`." },
      ),
    }),
    success: { status: 200, description: "The updated destination.", schema: DestinationSchema },
    refusals: {
      409: "The project has a destination of this name, or the name is changed while integrations send to it.",
      422: "The settings do not fit the type, or the request changes the type.",
    },
    async handle({ project, params, body }) {
      try {
        const updated = await transactControl(deps.database, async (queries) => {
          const row = await getDestinationRow(queries, project.id, params.destination, "update");
          const { name } = body.destination;
          if (body.updateMask.includes("name") && name !== row.name) await refuseInUse(queries, row);
          return change(deps, queries, row, body);
        });
        if (body.updateMask.some(changesSending)) retryAfterChange(deps, updated);
        return toDestination(updated);
      } catch (error) {
        const taken = isUniqueViolation(error, "destinations_project_id_name_key");
        throw taken ? refuseDestinationName(body.destination.name ?? "", error) : error;
      }
    },
  });

/** Returns whether a path of an update mask names something that decides whether the receiver accepts a message. */
const changesSending = (path: string): boolean => path !== "name" && path !== "ownWrites";

/**
 * Tries what waits with the new settings: the schedule is one for a receiver that nobody has mended. Not awaited: much may wait.
 */
function retryAfterChange(
  { database: { data }, log }: UpdateServices,
  { id, failingSince, disabledTime }: DestinationRow,
): void {
  if (failingSince && !disabledTime) void sendWaiting({ data, log }, { id, evenOne: true });
}

function change(
  deps: UpdateServices,
  queries: ControlQueries,
  row: DestinationRow,
  { updateMask, destination }: { updateMask: string[]; destination: Partial<DestinationChange> },
): Promise<DestinationRow> {
  const { signingKeys, secrets } = openDestinationSecrets(deps.sealer, row);
  const metadata = row.metadata as Record<string, unknown>;
  const type = getDestinationType(row.type);
  const members = {
    metadata: Object.keys(type.config.properties),
    secrets: Object.keys(type.secrets.properties),
  };
  const before = { name: row.name, type: row.type, metadata, secrets, ownWrites: row.ownWrites ?? null };
  const { enable, ...after } = maskDestination(updateMask, destination, before, members);
  const name = after.name === row.name ? row.name : checkName(after.name, "destination.name");
  const checked = checkSettings(type, after, deps.egress, "destination.");
  return updateRow(queries, row.projectId, row.id, {
    name,
    metadata: checked.metadata,
    ownWrites: after.ownWrites,
    secretsSealed: sealDestinationSecrets(deps.sealer, row, { secrets: checked.secrets, signingKeys }),
    enable,
  });
}
