/** GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}/metadata */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { declaredReadObject } from "../../../manifest/object-fields.ts";
import { IntegrationIdOrName, ObjectName } from "../members.ts";
import { connectionOfInstallation } from "./customer-account.ts";
import { MetadataQuerySchema, refusedOn } from "./get-object-metadata-for-connection.ts";
import { describeObject, ObjectMetadataSchema, toObjectMetadata } from "./object-metadata.ts";
import { PROVIDER_REFUSALS } from "../../operations/provider-problem.ts";
import type { UpsertServices } from "./upsert-fields.ts";

export const getObjectMetadataForInstallation = (deps: UpsertServices) =>
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
      const { integration, connectionId } = await connectionOfInstallation(deps, project.id, asked);
      const { provider, latestRevision } = integration;
      const { content } = latestRevision;
      const declared = declaredReadObject(content, params.objectName);
      const objectName = declared?.objectName ?? params.objectName;
      const target = { projectId: project.id, connectionId, provider, module: content.module };
      const metadata = await describeObject(deps, target, objectName).catch(refusedOn(connectionId));
      return toObjectMetadata(metadata, { excludeReadOnly, mappedObjectName: declared?.mapToName });
    },
  });
