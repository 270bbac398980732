/** GET /v1/projects/{projectIdOrName}/groups */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { listGroups as listRows } from "../../store/customer-lists.ts";
import type { Database } from "../../store/database.ts";
import { listQuery, onePage, pageSchema, textQuery } from "../pages.ts";
import { CustomerSchema, toCustomer } from "./customer.ts";

export const listGroups = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listGroups",
    tag: "Customers",
    summary: "List groups",
    description:
      "All customers of the project in the order of `groupRef`, also those without a connection. The id that `after` " +
      "takes is a `groupRef`: only groups that were created later are returned.",
    query: Type.Object({
      healthStatus: Type.Optional(
        Type.Enum(["healthy", "unhealthy"], { description: "Return only groups of this health." }),
      ),
      ...textQuery("`groupRef` or `groupName`"),
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: pageSchema(CustomerSchema) },
    handle: async ({ project, query }) =>
      onePage(query, {
        isToken: (token) => readGroupRef(token) !== undefined,
        isId: () => true,
        getPageToken: ({ groupRef }) => getPageToken(groupRef),
        list: ({ before, after: newerThanRef, limit }) => {
          const behindRef = before === undefined ? undefined : readGroupRef(before);
          const range = { behindRef, newerThanRef, limit };
          return listRows(deps.database.queries, { ...query, projectId: project.id }, range);
        },
        show: toCustomer,
      }),
  });

const PREFIX = "behind:";

/** References are not ordered by time, so a page token is the last reference, encoded so that it fits into a URL. */
const getPageToken = (groupRef: string): string => Buffer.from(`${PREFIX}${groupRef}`).toString("base64url");

function readGroupRef(token: string): string | undefined {
  const text = Buffer.from(token, "base64url").toString();
  return text.startsWith(PREFIX) && !text.includes("\0") ? text.slice(PREFIX.length) : undefined;
}
