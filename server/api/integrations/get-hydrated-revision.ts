/** GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/revisions/{revisionId}:hydrate */
import { Type } from "typebox";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import { findConnection } from "../../store/connections/connections.ts";
import { findRevision } from "../../store/integrations/revisions.ts";
import { IntegrationIdOrName } from "../members.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import { describeObjects } from "../objects/describe-objects.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import { formatSentence } from "../../operations/provider-problem.ts";
import { HydratedRevisionSchema, toHydrated, type Described } from "./hydrated-integration.ts";
import { getIntegrationRow } from "../integration.ts";

export type HydrateServices = CallServices & { metadata: MetadataMemory };

export const getHydratedRevision = (deps: HydrateServices) =>
  projectEndpoint({
    operationId: "getHydratedRevision",
    tag: "Integrations",
    summary: "Get a revision with the fields of a customer's account",
    description:
      "Returns the revision, each object joined with the provider's labels and all fields of the account. " +
      "If an object cannot be read, its `error` says why; the call still succeeds. Fields may be up to a " +
      "minute old.",
    params: Type.Object({
      integrationId: IntegrationIdOrName,
      revisionId: Type.String({ description: "Id of the revision." }),
    }),
    query: Type.Object({
      connectionId: Type.String({ description: "The customer's connection to the integration's provider." }),
    }),
    success: { status: 200, description: "The revision, hydrated.", schema: HydratedRevisionSchema },
    async handle({ project, params, query }) {
      const { control } = deps.database;
      const integration = await getIntegrationRow(control, project.id, params.integrationId);
      const revision = await findRevision<ManifestIntegration>(
        control,
        project.id,
        integration.id,
        params.revisionId,
      );
      if (!revision) {
        const detail = `\`${integration.name}\` has no revision \`${params.revisionId}\`.`;
        throw new Problem("not-found", { detail });
      }
      const { id, specVersion, createTime, content } = revision;
      await requireConnection(deps, project.id, query.connectionId, content.provider);
      const target = { projectId: project.id, connectionId: query.connectionId, ...content };
      const described = await describeAll(deps, target, listObjectNames(content));
      const missing: Described = { error: "The object was not read." };
      return {
        id,
        specVersion,
        createTime: createTime.toISOString(),
        content: toHydrated(content, (objectName) => described.get(objectName) ?? missing),
      };
    },
  });

async function requireConnection(
  deps: HydrateServices,
  projectId: string,
  connectionId: string,
  provider: string,
): Promise<void> {
  const connection = await findConnection(deps.database.control, projectId, connectionId);
  if (!connection) {
    throw new Problem("not-found", { detail: `There is no connection \`${connectionId}\` in this project.` });
  }
  if (connection.provider === provider) return;
  const detail = `The integration is one of ${provider}, the connection one to ${connection.provider}.`;
  throw new Problem("invalid-request", { detail, issues: [{ in: "query", name: "connectionId", detail }] });
}

const listObjectNames = ({ read, write }: ManifestIntegration): string[] => [
  ...new Set([...(read?.objects ?? []), ...(write?.objects ?? [])].map(({ objectName }) => objectName)),
];

/** Returns what is shown of each object; a failure is its `error`. */
async function describeAll(
  deps: HydrateServices,
  target: { projectId: string; connectionId: string; provider: string; module?: string },
  objectNames: string[],
): Promise<Map<string, Described>> {
  const described = await describeObjects(deps, target, objectNames);
  return new Map(
    [...described].map(([name, found]): [string, Described] => {
      if (found instanceof ProviderError) return [name, { error: formatSentence(found) }];
      return [name, found instanceof Problem ? { error: found.options.detail } : { metadata: found }];
    }),
  );
}
