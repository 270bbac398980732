/** The read and search APIs: what they take is checked, and then they say that they are not built. */
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
const groupRef = Type.String({ minLength: 1, description: "The customer whose records are meant." });
const refusals = { 501: "Always, once everything else is right: this is not built yet." };

export const triggerRead = (deps: Services): Endpoint =>
  projectEndpoint({
    operationId: "triggerRead",
    tag: "Read",
    summary: "Read the records of an object",
    description:
      "Not built yet: answers 501, after credential, project and customer were checked. List records through the " +
      "proxy until it is.",
    params: ObjectParams,
    body: Type.Object({
      groupRef,
      mode: Type.Literal("async", { description: "Records are delivered to a destination." }),
      sinceTimestamp: Type.Optional(
        Type.String({ description: "Only records changed since. Left out: all." }),
      ),
      untilTimestamp: Type.Optional(Type.String({ description: "Only records changed until then." })),
    }),
    success: {
      status: 201,
      description: "The operation that reads.",
      schema: Type.Object({ operationId: Type.String({ description: "Look it up under this id." }) }),
    },
    refusals,
    async handle({ project, params, body }) {
      await requireGroup(deps.database.queries, project.id, params.integrationId, body.groupRef);
      throw notBuilt("Reading");
    },
  });

export const deliverResults = (deps: Services): Endpoint =>
  projectEndpoint({
    operationId: "deliverResults",
    tag: "Read",
    summary: "Ask for pages of records",
    description:
      "For objects that are delivered on request; retired where it comes from. Not built yet: answers 501.",
    params: ObjectParams,
    body: Type.Object({
      groupRef,
      pages: Type.Integer({ minimum: 0, description: "How many pages may come." }),
    }),
    success: { status: 204, description: "They will come." },
    refusals,
    async handle({ project, params, body }) {
      await requireGroup(deps.database.queries, project.id, params.integrationId, body.groupRef);
      throw notBuilt("Reading");
    },
  });

const Pause = Type.Object({
  objects: Type.Optional(
    Type.Array(Type.String(), {
      description: "Names of the objects, yours or the provider's. Left out: all.",
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
      description: "Not built yet: answers 501, since nothing is read on a schedule.",
      params: InstallationParams,
      body: Pause,
      bodyOptional: true,
      success: { status: 204, description: "Done, or it was so already." },
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
    fields: Type.Record(Type.String(), Type.Unknown(), { description: "By the provider's names." }),
    mappedFields: Type.Record(Type.String(), Type.Unknown(), { description: "By yours." }),
    raw: Type.Record(Type.String(), Type.Unknown(), { description: "As the provider gave it." }),
  },
  { title: "FoundRecord", description: "A record that a search found." },
);

export const searchRecords = (deps: Services): Endpoint =>
  projectEndpoint({
    operationId: "searchRecords",
    tag: "Search",
    summary: "Search records",
    description:
      "Not built yet: answers 501, after credential, project and customer were checked. Use the provider's own search " +
      "through the proxy until it is.",
    params: IntegrationParams,
    query: Type.Object({ groupRef }),
    body: Type.Object({
      objectName: Type.String({ description: "The object, under its name or yours." }),
      fieldFilters: Type.Array(
        Type.Object({
          fieldName: Type.String({ description: "The field, under its name or yours." }),
          operator: Type.Literal("eq", { description: "How to compare." }),
          value: Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
            description: "What it must be.",
          }),
        }),
        { description: "A record has to fit all of them." },
      ),
    }),
    success: {
      status: 200,
      description: "One page of records.",
      schema: Type.Object({
        results: Type.Array(FoundRecord, { description: "The records." }),
        result: Type.Array(FoundRecord, { description: "The same, for clients that look for it here." }),
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
