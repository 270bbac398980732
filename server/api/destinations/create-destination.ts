/** POST /v1/projects/{projectIdOrName}/destinations */
import { Type } from "typebox";
import { DESTINATIONS } from "../../../destinations/index.gen.ts";
import { checkSettings, getDestinationType } from "../../deliver/check-settings.ts";
import { newSigningKey, sealDestinationSecrets } from "../../deliver/destination-secrets.ts";
import type { Egress } from "../../egress/open-egress.ts";
import { Problem } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { isUniqueViolation, type Database } from "../../store/database.ts";
import { countDestinations, insertDestination } from "../../store/destinations.ts";
import { checkName } from "../names.ts";
import {
  DestinationSchema,
  MetadataSchema,
  SecretsSchema,
  destinationNameTaken,
  toDestination,
} from "./destination.ts";

interface Needs {
  database: Database;
  sealer: Sealer;
  egress: Egress;
  config: { projectDestinations: number };
}

export const createDestination = (deps: Needs) =>
  projectEndpoint({
    operationId: "createDestination",
    tag: "Destinations",
    summary: "Create a destination",
    description:
      "`metadata` and `secrets` depend on the type. Secrets are stored encrypted. A webhook gets a signing " +
      "key; read it with `includeSecrets=true`.",
    body: Type.Object({
      name: Type.String({ description: "Letters, digits and dashes, at most 64; unique in the project." }),
      type: Type.String({ description: `One of ${Object.keys(DESTINATIONS).join(", ")}.` }),
      metadata: MetadataSchema,
      secrets: Type.Optional(
        Type.Union([SecretsSchema, Type.Null()], {
          description:
            "Secrets of the destination, for example `awsSecretKey`. Stored encrypted, never returned.",
        }),
      ),
    }),
    success: { status: 201, description: "The destination.", schema: DestinationSchema },
    refusals: {
      409: "The project has a destination of this name, or as many as the operator allows.",
      422: "The settings do not fit the type, or the type is unknown.",
      501: "The type is not implemented yet.",
    },
    async handle({ project, body }) {
      const name = checkName(body.name);
      const type = getDestinationType(body.type);
      const asked = { metadata: body.metadata, secrets: body.secrets ?? {} };
      const { metadata, secrets } = checkSettings(type, asked, deps.egress);
      const place = { id: newId(), projectId: project.id };
      const signingKeys = type.signs ? [{ key: newSigningKey() }] : [];
      const secretsSealed = sealDestinationSecrets(deps.sealer, place, { secrets, signingKeys });
      await requireRoom(deps, project.id);
      try {
        const row = { ...place, name, type: type.type, metadata, secretsSealed };
        return toDestination(await insertDestination(deps.database.queries, row));
      } catch (error) {
        throw isUniqueViolation(error, "destinations_project_id_name_key")
          ? destinationNameTaken(name, error)
          : error;
      }
    },
  });

/** Throws a 409 Problem. Concurrent requests may exceed the limit by a few. */
async function requireRoom({ database, config }: Needs, projectId: string): Promise<void> {
  const most = config.projectDestinations;
  if ((await countDestinations(database.queries, projectId)) < most) return;
  throw new Problem("conflict", {
    detail: `The project has ${most} destinations already. Delete some, or ask the operator to raise BUSBAR_PROJECT_DESTINATIONS.`,
  });
}
