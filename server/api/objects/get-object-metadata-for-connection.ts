/** GET /v1/projects/{projectIdOrName}/providers/{provider}/objects/{objectName}/metadata */
import { Type } from "typebox";
import { ProviderError } from "../../../connector-kit/provider-error.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { ObjectName, ProviderName } from "../members.ts";
import { connectionOfGroup } from "./customer-account.ts";
import { describeObject, ObjectMetadataSchema, toObjectMetadata } from "./object-metadata.ts";
import { PROVIDER_REFUSALS, providerProblem } from "../../operations/provider-problem.ts";
import type { UpsertServices } from "./upsert-fields.ts";

/** Query of both metadata endpoints. */
export const MetadataQuerySchema = Type.Object({
  groupRef: Type.String({ minLength: 1, description: "Your own id for the customer." }),
  excludeReadOnly: Type.Optional(Type.Boolean({ description: "Whether to leave out read-only fields." })),
});

export const getObjectMetadataForConnection = (deps: UpsertServices) =>
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
      const connectionId = await connectionOfGroup(deps, project.id, { provider, groupRef });
      const target = { projectId: project.id, connectionId, provider };
      const metadata = await describeObject(deps, target, objectName).catch(refusedOn(connectionId));
      return toObjectMetadata(metadata, { excludeReadOnly });
    },
  });

/** Returns a function that rethrows an error, a provider's refusal as a Problem. */
export const refusedOn =
  (connectionId: string) =>
  (error: unknown): never => {
    if (error instanceof ProviderError) throw providerProblem(error, connectionId);
    throw error;
  };
