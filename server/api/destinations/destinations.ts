/** Destinations: their endpoints; an update has a file of its own. */
import { type Static, type TObject, Type } from "typebox";
import type { DestinationType } from "../../../destination-kit/destination.ts";
import { DESTINATIONS } from "../../../destinations/index.gen.ts";
import { described } from "../../../ground/described.ts";
import { type Issue, Problem } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { checkSettings, getDestinationType, NOT_BUILT } from "../../deliver/destinations/check-settings.ts";
import {
  newSigningKey,
  openDestinationSecrets,
  rotateSigningKey,
  sealDestinationSecrets,
} from "../../deliver/destinations/destination-secrets.ts";
import { testDelivery, type TestServices } from "../../deliver/destinations/test-delivery.ts";
import type { Egress } from "../../egress/egress.ts";
import { EVENT_TYPES } from "../../events/event-types.ts";
import { sampleEvent } from "../../events/sample-event.ts";
import { endpoint, projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { type Database, isUniqueViolation, transactControl } from "../../store/database/database.ts";
import {
  countDestinations,
  type DestinationRow,
  insertDestination,
  listDestinations as listRows,
  removeDestination,
  updateDestination as updateRow,
} from "../../store/deliveries/destinations.ts";
import { DestinationIdOrName } from "../members.ts";
import { checkName } from "../names.ts";
import { DESTINATION, PROJECT } from "../paths.ts";
import { AttemptSchema } from "./delivery-attempt.ts";
import {
  refuseDestinationName,
  DestinationSchema,
  DestinationWithSecretsSchema,
  getDestinationRow,
  IncludeSecrets,
  MetadataSchema,
  OwnWritesSchema,
  SecretsSchema,
  chooseView,
  toDestination,
  withHealth,
  withSecrets,
} from "./destination.ts";
import { refuseInUse } from "./refuse-in-use.ts";
import { updateDestination, type UpdateServices } from "./update-destination.ts";

export const listDestinationRoutes = (deps: CreateServices & UpdateServices & TestServices): Route[] => [
  route("GET /v1/destination-types", "public", listDestinationTypes()),
  route(`GET ${PROJECT}/destinations`, "full", listDestinations(deps)),
  route(`POST ${PROJECT}/destinations`, "full", createDestination(deps)),
  route(`GET ${DESTINATION}`, "full", getDestination(deps)),
  route(`PATCH ${DESTINATION}`, "full", updateDestination(deps)),
  route(`DELETE ${DESTINATION}`, "full", deleteDestination(deps)),
  route(`POST ${DESTINATION}:test`, "full", testDestination(deps)),
  route(`POST ${DESTINATION}:rotate`, "full", rotateDestination(deps)),
];

const listDestinations = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listDestinations",
    tag: "Destinations",
    summary: "List destinations",
    description:
      "Without secrets; the values of `metadata.headers` and secrets in `metadata.url` are shown to callers who may change them. With `health`; disabled destinations have `disabledTime` and `disabledReason`.",
    hasEntityTag: true,
    success: {
      status: 200,
      description: "The destinations, without secrets.",
      schema: Type.Array(DestinationSchema),
    },
    async handle({ project, caller }) {
      const { control } = deps.database;
      return withHealth(deps.database, await listRows(control, project.id), chooseView(caller));
    },
  });

const getDestination = (deps: { database: Database; sealer: Sealer }) =>
  projectEndpoint({
    operationId: "getDestination",
    tag: "Destinations",
    summary: "Get a destination",
    description:
      "By id or name. The values of `metadata.headers` and secrets in `metadata.url` are shown to callers who may change them.",
    params: Type.Object({ destination: DestinationIdOrName }),
    query: Type.Object({
      includeSecrets: IncludeSecrets,
      rotate: Type.Optional(
        Type.Boolean({
          deprecated: true,
          description:
            "Replaces the signing key, as `POST …:rotate` does. A GET should change nothing: published clients " +
            "may still send it, new ones should not.",
        }),
      ),
    }),
    success: { status: 200, description: "The destination.", schema: DestinationWithSecretsSchema },
    refusals: { 422: "`rotate` was sent for a destination without a signing key." },
    async handle({ project, caller, params, query }) {
      const row = query.rotate
        ? await replaceSigningKey(
            deps,
            { projectId: project.id, idOrName: params.destination },
            { in: "query", name: "rotate" },
          )
        : await getDestinationRow(deps.database.control, project.id, params.destination);
      const show = query.includeSecrets
        ? () => withSecrets(row, openDestinationSecrets(deps.sealer, row))
        : chooseView(caller);
      const [shown] = await withHealth(deps.database, [row], show);
      return shown ?? show(row);
    },
  });

interface CreateServices {
  database: Database;
  sealer: Sealer;
  egress: Egress;
  config: { projectDestinations: number };
}

const createDestination = (deps: CreateServices) =>
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
      ownWrites: OwnWritesSchema,
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
      await requireCapacity(deps, project.id);
      try {
        const ownWrites = body.ownWrites ?? null;
        const row = { ...place, name, type: type.type, metadata, secretsSealed, ownWrites };
        return toDestination(await insertDestination(deps.database.control, row));
      } catch (error) {
        throw isUniqueViolation(error, "destinations_project_id_name_key")
          ? refuseDestinationName(name, error)
          : error;
      }
    },
  });

/** Throws a 409 Problem. Concurrent requests may exceed the limit by a few. */
async function requireCapacity({ database, config }: CreateServices, projectId: string): Promise<void> {
  const max = config.projectDestinations;
  if ((await countDestinations(database.control, projectId)) < max) return;
  throw new Problem("conflict", {
    detail: `The project has ${max} destinations already. Delete some, or ask the operator to raise BUSBAR_PROJECT_DESTINATIONS.`,
  });
}

const deleteDestination = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteDestination",
    tag: "Destinations",
    summary: "Delete a destination",
    description:
      "By id or name. Deletes its routes and waiting deliveries as well. Refused while an integration or a customer's " +
      "configuration reads, subscribes or watches schemas into it.",
    params: Type.Object({ destination: DestinationIdOrName }),
    success: { status: 204, description: "Deleted." },
    refusals: { 409: "Integrations or customers' configurations send to it; `issues` names them." },
    handle: ({ project, params }) =>
      transactControl(deps.database, async (queries) => {
        const row = await getDestinationRow(queries, project.id, params.destination, "update");
        await refuseInUse(queries, row);
        await removeDestination(queries, project.id, row.id);
      }),
  });

const testDestination = (deps: TestServices & { database: Database }) =>
  projectEndpoint({
    operationId: "testDestination",
    tag: "Destinations",
    summary: "Test a destination",
    description:
      "Delivers a sample event immediately, signed like a real message, and returns the result. The " +
      "delivery is neither recorded nor retried, and a disabled destination stays disabled. If the receiver of a failing " +
      "destination accepts it, what waits for the destination is sent at once.",
    params: Type.Object({ destination: DestinationIdOrName }),
    body: Type.Object({
      eventType: Type.Optional(
        Type.Enum([...EVENT_TYPES], {
          description: "Type of the event to send, for example `write.async.done`.",
        }),
      ),
    }),
    bodyOptional: true,
    role: "support",
    success: {
      status: 200,
      description: "The result, also if the receiver refused the message.",
      schema: Type.Object({
        messageId: Type.String({ description: "Id of the message that the receiver got." }),
        delivered: Type.Boolean({ description: "Whether the receiver accepted the message." }),
        attempt: described(AttemptSchema, "Result of the attempt."),
      }),
    },
    async handle({ project, params, body }) {
      const row = await getDestinationRow(deps.database.control, project.id, params.destination);
      const type = body?.eventType ?? "installation.created";
      return testDelivery(deps, row, sampleEvent(type, project.id));
    },
  });

const rotateDestination = (deps: { database: Database; sealer: Sealer }) =>
  projectEndpoint({
    operationId: "rotateDestination",
    tag: "Destinations",
    summary: "Rotate a signing key",
    description:
      "Replaces the signing key of a webhook and enables a disabled destination. For 24 hours, messages are signed " +
      "with both keys.",
    params: Type.Object({ destination: DestinationIdOrName }),
    query: Type.Object({ includeSecrets: IncludeSecrets }),
    success: { status: 200, description: "The destination.", schema: DestinationWithSecretsSchema },
    refusals: { 422: "The destination has no signing key." },
    async handle({ project, params, query }) {
      const named = { projectId: project.id, idOrName: params.destination };
      const row = await replaceSigningKey(deps, named, { in: "path", name: "destination" });
      return query.includeSecrets
        ? withSecrets(row, openDestinationSecrets(deps.sealer, row))
        : toDestination(row);
    },
  });

/** Stores a new signing key and enables the destination. Throws a 422 Problem with an issue at `place` for a type that does not sign. */
const replaceSigningKey = (
  deps: { database: Database; sealer: Sealer },
  { projectId, idOrName }: { projectId: string; idOrName: string },
  place: Pick<Issue, "in" | "name">,
): Promise<DestinationRow> =>
  transactControl(deps.database, async (queries) => {
    const row = await getDestinationRow(queries, projectId, idOrName, "update");
    if (!getDestinationType(row.type).signs) {
      const detail = `A destination of the type \`${row.type}\` has no signing key to rotate.`;
      throw new Problem("semantically-invalid", { detail, issues: [{ ...place, detail }] });
    }
    const secrets = rotateSigningKey(openDestinationSecrets(deps.sealer, row));
    return updateRow(queries, projectId, row.id, {
      name: row.name,
      metadata: row.metadata,
      secretsSealed: sealDestinationSecrets(deps.sealer, row, secrets),
      enable: true,
    });
  });

const toJsonSchema = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const DestinationTypeSchema = Type.Object(
  {
    type: Type.String({ description: "The `type` of a destination, for example `webhook`." }),
    displayName: Type.String({ description: "Name for people." }),
    description: Type.String({ description: "What a receiver gets." }),
    built: Type.Boolean({ description: "False: destinations of this type are answered with 501." }),
    metadataSchema: toJsonSchema("JSON Schema of `metadata`; without members if the type is not built."),
    secretsSchema: Type.Optional(
      toJsonSchema("JSON Schema of `secrets`. Absent if the type has none that you enter."),
    ),
  },
  { title: "DestinationType", description: "A type of destinations, with its settings." },
);

type Shown = Static<typeof DestinationTypeSchema>;

const listDestinationTypes = () => {
  const all = [...Object.values(DESTINATIONS).map(toShown), ...Object.entries(NOT_BUILT).map(toUnbuilt)];
  return endpoint({
    operationId: "listDestinationTypes",
    tag: "Destinations",
    summary: "List types of destinations",
    description:
      "With the JSON Schemas of their settings, for forms. Types that are not built are listed too.",
    success: { status: 200, description: "The types.", schema: Type.Array(DestinationTypeSchema) },
    handle: async () => all,
  });
};

const toShown = ({ type, label, description, config, secrets }: DestinationType): Shown => ({
  type,
  displayName: label,
  description,
  built: true,
  metadataSchema: toPlainSchema(config),
  ...(Object.keys(secrets.properties).length > 0 && { secretsSchema: toPlainSchema(secrets) }),
});

const toUnbuilt = ([type, displayName]: [string, string]): Shown => ({
  type,
  displayName,
  description: "Not built yet. Use a webhook and forward from there.",
  built: false,
  metadataSchema: { type: "object", properties: {} },
});

/** Returns the schema without what only its library understands. */
const toPlainSchema = (schema: TObject): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
