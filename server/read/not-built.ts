/** The read and search endpoints: they check the request, then answer 501. */
import { Type } from "typebox";
import { Problem } from "../ground/errors.ts";
import { isUuid } from "../ground/ids.ts";
import { projectEndpoint, type Endpoint } from "../http/endpoint.ts";
import type { Database, Queries } from "../store/database.ts";
import { findInstallation, findInstallationOfGroup } from "../store/installations.ts";
import { findIntegration } from "../store/integrations.ts";

interface Services {
  database: Database;
}

const IntegrationParams = Type.Object({
  integrationId: Type.String({ description: "Id or name of the integration." }),
});
const ObjectParams = Type.Object({
  integrationId: Type.String({ description: "Id or name of the integration." }),
  objectName: Type.String({ description: "Name of the object. May contain slashes." }),
});
const InstallationParams = Type.Object({
  integrationId: Type.String({ description: "Id or name of the integration." }),
  installationId: Type.String({ description: "Id of the installation." }),
});
const groupRef = Type.String({ minLength: 1, description: "Your own id for the customer." });
const refusals = { 501: "Always for a valid request: not built yet." };

export const triggerRead = (deps: Services): Endpoint =>
  projectEndpoint({
    operationId: "triggerRead",
    tag: "Read",
    summary: "Read the records of an object",
    description:
      "Not built yet: answers 501 after checking credential, project and customer. List records through the " +
      "proxy instead.",
    params: ObjectParams,
    body: Type.Object({
      groupRef,
      mode: Type.Literal("async", { description: "The records will be delivered to a destination." }),
      sinceTimestamp: Type.Optional(
        Type.String({ description: "Read only records changed since this time. Default: all." }),
      ),
      untilTimestamp: Type.Optional(
        Type.String({ description: "Read only records changed until this time." }),
      ),
    }),
    success: {
      status: 201,
      description: "The read operation.",
      schema: Type.Object({ operationId: Type.String({ description: "Id of the operation." }) }),
    },
    refusals,
    async handle({ project, params, body }) {
      await requireGroup(deps.database.queries, project.id, params.integrationId, body.groupRef);
      throw notBuilt("Reading");
    },
  });

const Pause = Type.Object({
  objects: Type.Optional(
    Type.Array(Type.String(), {
      description: "Names of the objects, mapped or the provider's. Default: all.",
    }),
  ),
  note: Type.Optional(Type.String({ description: "Why." })),
});

const pausing =
  (operationId: string, summary: string) =>
  (deps: Services): Endpoint =>
    projectEndpoint({
      operationId,
      tag: "Read",
      summary,
      description: "Not built yet: answers 501.",
      params: InstallationParams,
      body: Pause,
      bodyOptional: true,
      success: { status: 204, description: "Done, or already in this state." },
      refusals,
      async handle({ project, params }) {
        await requireInstallation(deps.database.queries, project.id, params);
        throw notBuilt("Reading");
      },
    });

export const pauseReads = pausing("pauseReads", "Pause scheduled reads");
export const unpauseReads = pausing("unpauseReads", "Resume scheduled reads");

const FoundRecord = Type.Object(
  {
    id: Type.Optional(Type.String({ description: "The provider's id." })),
    fields: Type.Record(Type.String(), Type.Unknown(), { description: "Fields, by the provider's names." }),
    mappedFields: Type.Record(Type.String(), Type.Unknown(), { description: "By yours." }),
    raw: Type.Record(Type.String(), Type.Unknown(), {
      description: "The record as the provider returned it.",
    }),
  },
  { title: "FoundRecord", description: "A record found by a search." },
);

export const searchRecords = (deps: Services): Endpoint =>
  projectEndpoint({
    operationId: "searchRecords",
    tag: "Search",
    summary: "Search records",
    description:
      "Not built yet: answers 501 after checking credential, project and customer. Use the provider's " +
      "search through the proxy instead.",
    params: IntegrationParams,
    query: Type.Object({ groupRef }),
    body: Type.Object({
      objectName: Type.String({ description: "Name of the object, mapped or the provider's." }),
      fieldFilters: Type.Array(
        Type.Object({
          fieldName: Type.String({ description: "Name of the field, mapped or the provider's." }),
          operator: Type.Literal("eq", { description: "How to compare." }),
          value: Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
            description: "Value to compare with.",
          }),
        }),
        { description: "All filters must match." },
      ),
    }),
    success: {
      status: 200,
      description: "One page of records.",
      schema: Type.Object({
        results: Type.Array(FoundRecord, { description: "The records." }),
        result: Type.Array(FoundRecord, { description: "The same. For clients that read it here." }),
      }),
    },
    refusals,
    async handle({ project, params, query }) {
      await requireGroup(deps.database.queries, project.id, params.integrationId, query.groupRef);
      throw notBuilt("Searching");
    },
  });

const notBuilt = (what: string): Problem =>
  new Problem("not-built", {
    detail: `${what} is not built yet. Call the provider's own API through the proxy instead.`,
    remedy: "Call the provider's own API through the proxy.",
  });

async function requireGroup(
  queries: Queries,
  projectId: string,
  idOrName: string,
  group: string,
): Promise<void> {
  const integration = await requireIntegration(queries, projectId, idOrName);
  if (await findInstallationOfGroup(queries, projectId, integration.id, group)) return;
  throw new Problem("not-found", {
    detail: `The group \`${group}\` has not installed \`${integration.name}\`. Install it first.`,
  });
}

async function requireInstallation(
  queries: Queries,
  projectId: string,
  { integrationId, installationId }: { integrationId: string; installationId: string },
): Promise<void> {
  const { id } = await requireIntegration(queries, projectId, integrationId);
  const row = isUuid(installationId) ? await findInstallation(queries, projectId, installationId) : undefined;
  if (row?.integrationId === id) return;
  throw new Problem("not-found", {
    detail: `There is no installation \`${installationId}\` of this integration.`,
  });
}

async function requireIntegration(queries: Queries, projectId: string, idOrName: string) {
  const integration = await findIntegration(queries, projectId, idOrName);
  if (integration) return integration;
  throw new Problem("not-found", { detail: `There is no integration \`${idOrName}\` in this project.` });
}
