/** GET /v1/projects/{projectIdOrName}/find */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findByText } from "../../store/find-by-text.ts";

const MOST = 20;
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
] as const;

const FoundSchema = Type.Object(
  {
    kind: Type.Enum([...KINDS], { description: "What was found." }),
    id: Type.String({ description: "Its id; of a group the `groupRef`." }),
    name: Type.String({ description: "Its name, or what it did." }),
    in: Type.Optional(
      Type.String({
        description:
          "Id of what it lies below: the destination of a delivery, the integration of an installation.",
      }),
    ),
  },
  { title: "Found", description: "Something that an id or a name leads to." },
);

export const find = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "find",
    tag: "Projects",
    summary: "Find by id or name",
    description:
      "Finds by whole ids, also of messages, requests and records, and by a part of a name of at least two characters. " +
      "At most 20, the best first. Ids of records are looked for in the newest 20,000 operations. Values of keys are " +
      "not searched.",
    query: Type.Object({
      q: Type.String({ minLength: 1, maxLength: 200, description: "An id, or a part of a name." }),
    }),
    success: {
      status: 200,
      description: "What was found.",
      schema: Type.Object({ results: Type.Array(FoundSchema, { description: "The best first." }) }),
    },
    async handle({ project, query }) {
      const rows = await findByText(deps.database.queries, project.id, query.q.trim(), MOST);
      const results = rows.flatMap(({ kind: found, id, name, within }) => {
        const kind = KINDS.find((one) => one === found);
        return kind ? [{ kind, id, name, ...(within !== null && { in: within }) }] : [];
      });
      return { results };
    },
  });
