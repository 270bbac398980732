/** Requests to this server that it refused: the list of them. */
import { Type } from "typebox";
import { readTimeOfId } from "../../../ground/ids.ts";
import { PROBLEM_TYPES, type ProblemSlug } from "../../../ground/problem-types.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import { listRefusedRequests, type RefusedRequestRow } from "../../store/access/refused-requests.ts";
import { listQuery, listPage, describePage, periodQuery, describeTextQuery } from "../pages.ts";
import { PROJECT } from "../paths.ts";
import { parseStatusFilter, StatusFilter } from "../members.ts";
import { describeTime } from "../../../ground/described.ts";

export const requestRoutes = (deps: { database: Database; publicUrl: () => string }): Route[] => [
  route(`GET ${PROJECT}/requests`, "full", listRequests(deps)),
];

const RefusedRequestSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the entry." }),
    time: describeTime("When the request arrived."),
    method: Type.String({ description: "HTTP method." }),
    path: Type.String({ description: "Path without the query, at most 1024 characters." }),
    operationId: Type.Optional(Type.String({ description: "Id of the operation in the API reference." })),
    status: Type.Integer({ description: "Status of the answer." }),
    type: Type.String({ description: "Type of the Problem." }),
    title: Type.String({ description: "Title of the Problem." }),
    detail: Type.String({ description: "What happened and what to do." }),
    apiKeyId: Type.Optional(Type.String({ description: "Id of the caller's API key." })),
    builderId: Type.Optional(Type.String({ description: "Id of the caller, if it is a person." })),
    requestId: Type.String({ description: "The header `X-Request-Id` of the answer." }),
  },
  { title: "RefusedRequest", description: "A request that was refused." },
);

const listRequests = (deps: { database: Database; publicUrl: () => string }) =>
  projectEndpoint({
    operationId: "listRequests",
    tag: "Operations",
    summary: "List refused requests",
    description:
      "Newest first: requests answered with 400 or more whose credential and project were valid. An entry appears a second or " +
      "two after the answer. At most 300 a minute are kept, for BUSBAR_REQUEST_RETENTION_DAYS. Calls to the proxy are in the " +
      "list of proxied calls.",
    query: Type.Object({
      status: StatusFilter,
      apiKeyId: Type.Optional(Type.String({ description: "Return only requests with this API key." })),
      operationId: Type.Optional(Type.String({ description: "Return only requests of this operation." })),
      ...periodQuery,
      ...describeTextQuery("the path, the detail, the operation's name or the request id"),
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: describePage(RefusedRequestSchema) },
    handle: async ({ project, query }) =>
      listPage(query, {
        list: (range) =>
          listRefusedRequests(
            deps.database.control,
            { ...query, projectId: project.id, statuses: parseStatusFilter(query.status) },
            range,
          ),
        show: (row) => toRefusedRequest(row, deps.publicUrl()),
      }),
  });

const toRefusedRequest = (row: RefusedRequestRow, publicUrl: string) => ({
  id: row.id,
  time: readTimeOfId(row.id).toISOString(),
  method: row.method,
  path: row.path,
  ...(row.operationId !== null && { operationId: row.operationId }),
  status: row.status,
  type: `${publicUrl}/docs/problems/${row.slug}`,
  title: isSlug(row.slug) ? PROBLEM_TYPES[row.slug].title : row.slug,
  detail: row.detail,
  ...(row.apiKeyId !== null && { apiKeyId: row.apiKeyId }),
  ...(row.builderId !== null && { builderId: row.builderId }),
  requestId: row.id,
});

const isSlug = (slug: string): slug is ProblemSlug => slug in PROBLEM_TYPES;
