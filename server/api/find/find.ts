/** Finds what a project has by an id or a part of a name. */
import { type Static, Type } from "typebox";
import { encodeSeenId } from "../../../ground/pack-seen.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import { askPresent } from "../../store/shards/ask-shards.ts";
import { findByText } from "../../store/shards/find-by-text.ts";
import { findRecords, type FoundRecord } from "../../store/operations/traced-records.ts";
import { Unavailable } from "../pages.ts";
import { PROJECT } from "../paths.ts";

export const findRoutes = (deps: { database: Database }): Route[] => [
  route(`GET ${PROJECT}/find`, "full", find(deps)),
];

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
  },
  { title: "Found", description: "Something that an id or a name leads to." },
);

const toFound = (id: string, record: FoundRecord): Static<typeof FoundSchema> => ({
  kind: "record",
  id,
  name: `${record.objectName} of ${record.groupName}`,
  in: record.installationId,
  object: record.objectName,
  integration: record.integrationId,
});

const find = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "find",
    tag: "Projects",
    summary: "Find by id or name",
    description:
      "Finds by whole ids, also of messages, requests and records, and by a part of a name of at least two characters. " +
      "At most 20, the best first. Ids of records are looked for in the newest 20,000 operations and 20,000 messages. Values of keys are " +
      "not searched.",
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
      const q = query.q.trim();
      const [records, { things, unavailable }] = await Promise.all([
        askPresent(deps.database, (data) =>
          findRecords(data, { projectId: project.id, recordId: q, key: encodeSeenId(q) }, MAX_RECORDS),
        ),
        findByText(deps.database, project.id, q, MAX),
      ]);
      const results = things.flatMap(({ kind: found, id, name, within }) => {
        const kind = KINDS.find((one) => one === found);
        return kind ? [{ kind, id, name, ...(within !== null && { in: within }) }] : [];
      });
      return {
        results: [...records.answers.flat().map((record) => toFound(q, record)), ...results].slice(0, MAX),
        ...(unavailable.length > 0 && { unavailable }),
      };
    },
  });
