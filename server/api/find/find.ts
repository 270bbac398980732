/** Finds what a project has by an id or a part of a name. */
import { type Static, Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { encodeSeenId } from "../../../ground/pack-seen.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { listHealth } from "../../store/connections/customer-lists.ts";
import type { Database } from "../../store/database/database.ts";
import { listIntegratedProviders } from "../../store/integrations/integrations.ts";
import { askPresent } from "../../store/shards/ask-shards.ts";
import { findByText } from "../../store/shards/find-by-text.ts";
import { findRecords, type FoundRecord } from "../../store/operations/traced-records.ts";
import { Unavailable } from "../pages.ts";
import { PROJECT } from "../paths.ts";

export const findRoutes = (deps: FindServices): Route[] => [route(`GET ${PROJECT}/find`, "full", find(deps))];

interface FindServices {
  database: Database;
  catalog: Catalog;
}

const MAX = 20;
const MAX_RECORDS = 10;
const KINDS = [
  "operation",
  "event",
  "delivery",
  "connection",
  "installation",
  "integration",
  "group",
  "destination",
  "topic",
  "apiKey",
  "proxyCall",
  "request",
  "record",
] as const;

const FoundSchema = Type.Object(
  {
    kind: Type.Enum([...KINDS], { description: "What was found." }),
    id: Type.String({ description: "Its id; of a group the `groupRef`." }),
    name: Type.String({ description: "Its name, or what it did." }),
    in: Type.Optional(
      Type.String({
        description:
          "Id of what it lies below: the destination of a delivery, the integration of an installation, the installation of a record.",
      }),
    ),
    object: Type.Optional(Type.String({ description: "Of a record: the provider's name of its object." })),
    integration: Type.Optional(Type.String({ description: "Of a record: id of the integration." })),
    healthStatus: Type.Optional(
      Type.Enum(["healthy", "unhealthy"], {
        description:
          "Of an installation, of a connected group, and of the installation of a record. Absent while a database (shard) that may say otherwise is away.",
      }),
    ),
  },
  { title: "Found", description: "Something that an id or a name leads to." },
);

type Found = Static<typeof FoundSchema>;

const toFound = (record: FoundRecord): Found => ({
  kind: "record",
  id: record.recordId,
  name: `${record.objectName} of ${record.groupName}`,
  in: record.installationId,
  object: record.objectName,
  integration: record.integrationId,
});

const find = (deps: FindServices) =>
  projectEndpoint({
    operationId: "find",
    tag: "Projects",
    summary: "Find by id or name",
    description:
      "Finds by whole ids, also of messages, requests and records, and by a part of a name of at least two characters. " +
      "At most 20, the best first. Ids of records are looked for in the newest 20,000 operations and 20,000 messages, under each form that " +
      "a provider of the project has for them. Values of keys are not searched.",
    query: Type.Object({
      q: Type.String({ minLength: 1, maxLength: 200, description: "An id, or a part of a name." }),
    }),
    success: {
      status: 200,
      description: "What was found.",
      schema: Type.Object({
        results: Type.Array(FoundSchema, { description: "The best first." }),
        unavailable: Type.Optional(Unavailable),
      }),
    },
    async handle({ project, query }) {
      const text = query.q.trim();
      const recordIds = await listForms(deps, project.id, text);
      const seen = recordIds.map((id) => ({ id, key: encodeSeenId(id) }));
      const [records, { things, unavailable }] = await Promise.all([
        askPresent(deps.database, (data) =>
          findRecords(data, { projectId: project.id, records: seen }, MAX_RECORDS),
        ),
        findByText(deps.database, project.id, { text, recordIds }, MAX),
      ]);
      const others = things.flatMap(({ kind: found, id, name, within }): Found[] => {
        const kind = KINDS.find((one) => one === found);
        return kind ? [{ kind, id, name, ...(within !== null && { in: within }) }] : [];
      });
      const all = [...records.answers.flat().map(toFound), ...others];
      // Two shards have rows of a customer who moves.
      const results = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()].slice(0, MAX);
      return {
        results: await addHealth(deps, project.id, results),
        ...(unavailable.length > 0 && { unavailable }),
      };
    },
  });

/** Returns the forms that the text may have as the id of a record, itself among them. */
async function listForms(
  { database, catalog }: FindServices,
  projectId: string,
  text: string,
): Promise<string[]> {
  const providers = await listIntegratedProviders(database.control, projectId);
  const own = catalog.of(projectId);
  return [
    ...new Set([text, ...providers.flatMap((key) => own.connector(key)?.read?.listIdForms?.(text) ?? [])]),
  ];
}

/** Adds the health. A shard knows nothing of what another one has, so one that finds a fault is right. */
async function addHealth({ database }: FindServices, projectId: string, found: Found[]): Promise<Found[]> {
  const keys = found.map((one) => nameHealth(one));
  const listIds = (kind: string) =>
    keys.flatMap((key) => (key?.startsWith(`${kind} `) ? [key.slice(kind.length + 1)] : []));
  const { answers, unavailable } = await askPresent(database, (data) =>
    listHealth(data, { projectId, installationIds: listIds("installation"), groupRefs: listIds("group") }),
  );
  const rows = answers.flat();
  return found.map((one, index) => {
    const own = rows.filter(({ key }) => key === keys[index]);
    if (own.some(({ isUnhealthy }) => isUnhealthy)) return { ...one, healthStatus: "unhealthy" };
    return own.length === 0 || unavailable.length > 0 ? one : { ...one, healthStatus: "healthy" };
  });
}

/** Returns the key of the row of `listHealth` for what was found; undefined if it has no health. */
function nameHealth({ kind, id, in: within = "" }: Found): string | undefined {
  if (kind === "group" || kind === "installation") return `${kind} ${id}`;
  return kind === "record" ? `installation ${within}` : undefined;
}
