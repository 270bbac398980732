/** POST /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations */
import { Type } from "typebox";
import type { Catalog } from "../../../connectors/catalog.ts";
import { Problem } from "../../ground/errors.ts";
import type { Json } from "../../ground/json.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { checkConfig } from "../../manifest/check-config.ts";
import { completeConfig } from "../../manifest/complete-config.ts";
import type { ConfigContent } from "../../manifest/config.ts";
import { findConnection, listConnections, type ConnectionRow } from "../../store/connections.ts";
import { findGroup, upsertGroup } from "../../store/customers.ts";
import { isUniqueViolation, type Database, type Queries } from "../../store/database.ts";
import { insertInstallation } from "../../store/installations.ts";
import { getIntegrationRow, type Integration } from "../integrations/integration.ts";
import { getInstallationRow, InstallationSchema, showInstallation } from "./installation.ts";

export const createInstallation = (on: { database: Database; catalog: Catalog }) =>
  projectEndpoint({
    operationId: "createInstallation",
    tag: "Installations",
    summary: "Create an installation",
    description:
      "Switches an integration on for a group. Without `connectionId` the group's connection to the provider is used. " +
      "The configuration is checked against the latest revision. A group has one installation per integration.",
    params: Type.Object({ integrationId: Type.String() }),
    query: Type.Object({ skipSampling: Type.Optional(Type.Boolean()) }),
    body: Type.Object({
      groupRef: Type.String({ minLength: 1, maxLength: 255 }),
      connectionId: Type.Optional(Type.String()),
      config: Type.Object({
        revisionId: Type.Optional(Type.String({ description: "Ignored: the latest revision counts." })),
        createdBy: Type.Optional(Type.String()),
        content: Type.Unknown({ description: "As `config.content` of an installation." }),
      }),
    }),
    success: { status: 201, description: "The installation.", schema: InstallationSchema },
    refusals: [409, 422],
    async handle({ project, params, body }) {
      const { groupRef, config, connectionId } = body;
      const createdBy = config.createdBy ?? "api:create-installation";
      try {
        return await on.database.queries.transaction().execute(async (queries) => {
          const integration = await getIntegrationRow(queries, project.id, params.integrationId);
          const connection = await usableConnection(queries, integration, groupRef, connectionId);
          const content = checked(on.catalog, integration, config.content as Json);
          const group = await upsertGroup(queries, { projectId: project.id, groupRef });
          const { id } = await insertInstallation(queries, {
            projectId: project.id,
            integrationId: integration.id,
            groupId: group.id,
            connectionId: connection.id,
            createdBy,
            revisionId: integration.latestRevision.id,
            content,
          });
          return showInstallation(queries, await getInstallationRow(queries, project.id, integration.id, id));
        });
      } catch (error) {
        if (!isUniqueViolation(error, "installations_integration_id_group_id_key")) throw error;
        throw new Problem("conflict", {
          detail: `The group \`${groupRef}\` has installed this integration already. Update that installation.`,
          cause: error,
        });
      }
    },
  });

/** The configuration in its stored form. Throws a 422 Problem with one issue per mistake. */
function checked(catalog: Catalog, integration: Integration, content: Json): ConfigContent {
  const manifest = integration.latestRevision.content;
  const issues = checkConfig(content, manifest, {
    defaultModule: catalog.find(integration.provider)?.defaultModule ?? "",
  });
  const [first] = issues;
  if (!first) return completeConfig(content, manifest);
  throw new Problem("invalid-config", {
    detail: `${first.name}: ${first.detail}${issues.length > 1 ? ` (and ${issues.length - 1} more, see \`issues\`)` : ""}`,
    issues,
  });
}

/** The connection that was named, or the group's own. It must be the group's and of the integration's provider. */
async function usableConnection(
  queries: Queries,
  integration: Integration,
  groupRef: string,
  connectionId: string | undefined,
): Promise<ConnectionRow> {
  const { projectId, provider, name } = integration;
  const connection = connectionId
    ? await findConnection(queries, projectId, connectionId)
    : (await listConnections(queries, projectId, { groupRef, provider }))[0];
  if (!connection) {
    if (connectionId)
      throw refused("connectionId", `There is no connection \`${connectionId}\` in this project.`);
    const known = await findGroup(queries, projectId, groupRef);
    throw refused(
      "groupRef",
      known
        ? `The group \`${groupRef}\` has no connection to ${provider}. Connect it first.`
        : `The group \`${groupRef}\` is unknown: it has no connection yet. Connect it first.`,
    );
  }
  if (connection.provider !== provider) {
    throw refused(
      "connectionId",
      `\`${name}\` is an integration of ${provider}, the connection is one to ${connection.provider}.`,
    );
  }
  if (connection.group.groupRef !== groupRef) {
    throw refused(
      "connectionId",
      `The connection belongs to the group \`${connection.group.groupRef}\`, not to \`${groupRef}\`.`,
    );
  }
  return connection;
}

const refused = (name: string, detail: string): Problem =>
  new Problem("semantically-invalid", { detail, issues: [{ in: "body", name, detail }] });
