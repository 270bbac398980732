/** GET /v1/projects/{projectIdOrName}/providers/{provider}/objects/{objectName}/metadata */
import { Type } from "typebox";
import { ProviderError } from "../../../connector-kit/provider-error.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { ObjectName, ProviderName } from "../members.ts";
import { connectionOfGroup } from "./customer-account.ts";
import { describeObject, ObjectMetadataSchema, toObjectMetadata } from "./object-metadata.ts";
import { PROVIDER_REFUSALS, providerProblem } from "./provider-problem.ts";
import type { UpsertServices } from "./upsert-fields.ts";

/** The same for both ways of naming the account. */
export const MetadataQuerySchema = Type.Object({
  groupRef: Type.String({ minLength: 1, description: "The customer whose account is looked into." }),
  excludeReadOnly: Type.Optional(Type.Boolean({ description: "Leaves out fields that nothing can write." })),
});

export const getObjectMetadataForConnection = (deps: UpsertServices) =>
  projectEndpoint({
    operationId: "getObjectMetadataForConnection",
    tag: "Objects & fields",
    summary: "Get an object's metadata through a connection",
    description: "Fields as they are in the customer's account. An answer may be up to a minute old.",
    params: Type.Object({ provider: ProviderName, objectName: ObjectName }),
    query: MetadataQuerySchema,
    success: { status: 200, description: "The object and its fields.", schema: ObjectMetadataSchema },
    refusals: PROVIDER_REFUSALS,
    async handle({ project, params, query }) {
      const { provider, objectName } = params;
      const { groupRef, excludeReadOnly } = query;
      const connectionId = await connectionOfGroup(deps, project.id, { provider, groupRef });
      const target = { projectId: project.id, connectionId, provider };
      const metadata = await describeObject(deps, target, objectName).catch(refused);
      return toObjectMetadata(metadata, { excludeReadOnly });
    },
  });

/** Rethrows, a provider's refusal as a Problem. */
export function refused(error: unknown): never {
  if (error instanceof ProviderError) throw providerProblem(error);
  throw error;
}
