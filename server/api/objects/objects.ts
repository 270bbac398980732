/** Metadata of objects in a customer's account: endpoints that read it and that create fields. */
import { Type } from "typebox";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { findDeclaredReadObject } from "../../../manifest/object-fields.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { PROVIDER_REFUSALS, toProviderProblem } from "../../operations/provider-problem.ts";
import { IntegrationIdOrName, ObjectName, ProviderName } from "../members.ts";
import { INTEGRATION, PROVIDER } from "../paths.ts";
import { findGroupConnection, findInstallationConnection } from "./customer-account.ts";
import { RefusedUpsertSchema, UpsertAnswerSchema, UpsertRequestSchema } from "./field-definition.ts";
import { describeObject, ObjectMetadataSchema, toObjectMetadata } from "./object-metadata.ts";
import { upsertFields, type UpsertServices } from "./upsert-fields.ts";

export const listObjectRoutes = (deps: UpsertServices): Route[] => [
  route(`GET ${PROVIDER}/objects/{objectName}/metadata`, "frontend", getObjectMetadataForConnection(deps)),
  route(
    `GET ${INTEGRATION}/objects/{objectName}/metadata`,
    "frontend",
    getObjectMetadataForInstallation(deps),
  ),
  route(`PUT ${PROVIDER}/object-metadata`, "frontend", upsertMetadataForConnection(deps)),
  route(`PUT ${INTEGRATION}/object-metadata`, "frontend", upsertMetadataForInstallation(deps)),
];

/** Query of both metadata endpoints. */
const MetadataQuerySchema = Type.Object({
  groupRef: Type.String({ minLength: 1, description: "Your own id for the customer." }),
  excludeReadOnly: Type.Optional(Type.Boolean({ description: "Whether to leave out read-only fields." })),
});

const getObjectMetadataForConnection = (deps: UpsertServices) =>
  projectEndpoint({
    operationId: "getObjectMetadataForConnection",
    tag: "Objects & fields",
    summary: "Get an object's metadata through a connection",
    description:
      "Returns the object's fields in the customer's account. Answers are cached for up to a minute.",
    params: Type.Object({ provider: ProviderName, objectName: ObjectName }),
    query: MetadataQuerySchema,
    success: { status: 200, description: "The object and its fields.", schema: ObjectMetadataSchema },
    refusals: PROVIDER_REFUSALS,
    async handle({ project, params, query }) {
      const { provider, objectName } = params;
      const { groupRef, excludeReadOnly } = query;
      const connectionId = await findGroupConnection(deps, project.id, { provider, groupRef });
      const target = { projectId: project.id, connectionId, provider };
      const metadata = await describeObject(deps, target, objectName).catch(rethrowRefusalOn(connectionId));
      return toObjectMetadata(metadata, { excludeReadOnly });
    },
  });

/** Returns a function that rethrows an error, a provider's refusal as a Problem. */
const rethrowRefusalOn =
  (connectionId: string) =>
  (error: unknown): never => {
    if (error instanceof ProviderError) throw toProviderProblem(error, connectionId);
    throw error;
  };

const getObjectMetadataForInstallation = (deps: UpsertServices) =>
  projectEndpoint({
    operationId: "getObjectMetadataForInstallation",
    tag: "Objects & fields",
    summary: "Get an object's metadata through an installation",
    description:
      "Returns the object's fields in the customer's account. `objectName` is the provider's name or the " +
      "mapped name of the manifest. Answers are cached for up to a minute.",
    params: Type.Object({ integrationId: IntegrationIdOrName, objectName: ObjectName }),
    query: MetadataQuerySchema,
    success: { status: 200, description: "The object and its fields.", schema: ObjectMetadataSchema },
    refusals: PROVIDER_REFUSALS,
    async handle({ project, params, query }) {
      const { groupRef, excludeReadOnly } = query;
      const asked = { integrationId: params.integrationId, groupRef };
      const { integration, connectionId } = await findInstallationConnection(deps, project.id, asked);
      const { provider, latestRevision } = integration;
      const { content } = latestRevision;
      const declared = findDeclaredReadObject(content, params.objectName);
      const objectName = declared?.objectName ?? params.objectName;
      const target = { projectId: project.id, connectionId, provider, module: content.module };
      const metadata = await describeObject(deps, target, objectName).catch(rethrowRefusalOn(connectionId));
      return toObjectMetadata(metadata, { excludeReadOnly, mappedObjectName: declared?.mapToName });
    },
  });

/** Query of both metadata endpoints. */
const UPSERT_DESCRIPTION = [
  "Creates missing fields and updates those that differ; repeating the request changes nothing.",
  "Options that the customer added themselves are kept.",
  "",
  "What the provider cannot hold is named in the field's `warnings`. Mistakes in definitions (400) and " +
    "fields that exist",
  "with another type (400) keep everything from being written. Where the provider refuses some definitions and not",
  "others, the answer is a Problem that carries `success: false` and the same `fields` as a success: what was done has",
  "its `action`, what failed an `error`.",
].join("\n");

const upsertMetadataForConnection = (deps: UpsertServices) =>
  projectEndpoint({
    operationId: "upsertMetadataForConnection",
    tag: "Objects & fields",
    summary: "Upsert custom fields through a connection",
    description: UPSERT_DESCRIPTION,
    params: Type.Object({ provider: ProviderName }),
    body: UpsertRequestSchema,
    success: { status: 200, description: "All fields match their definitions.", schema: UpsertAnswerSchema },
    refusals: PROVIDER_REFUSALS,
    refusalMembers: RefusedUpsertSchema,
    async handle({ project, params, body }) {
      const { provider } = params;
      const connectionId = await findGroupConnection(deps, project.id, { provider, groupRef: body.groupRef });
      return upsertFields(deps, { projectId: project.id, connectionId, provider }, body.fields);
    },
  });

const upsertMetadataForInstallation = (deps: UpsertServices) =>
  projectEndpoint({
    operationId: "upsertMetadataForInstallation",
    tag: "Objects & fields",
    summary: "Upsert custom fields through an installation",
    description: UPSERT_DESCRIPTION,
    params: Type.Object({ integrationId: IntegrationIdOrName }),
    body: UpsertRequestSchema,
    success: { status: 200, description: "All fields match their definitions.", schema: UpsertAnswerSchema },
    refusals: PROVIDER_REFUSALS,
    refusalMembers: RefusedUpsertSchema,
    async handle({ project, params, body }) {
      const asked = { integrationId: params.integrationId, groupRef: body.groupRef };
      const { integration, connectionId } = await findInstallationConnection(deps, project.id, asked);
      const { provider, latestRevision } = integration;
      const { module } = latestRevision.content;
      return upsertFields(deps, { projectId: project.id, connectionId, provider, module }, body.fields);
    },
  });
