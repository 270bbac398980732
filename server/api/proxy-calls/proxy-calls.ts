/** Proxied calls: shape, the lists of them, and the endpoint that makes one. */
import { Type } from "typebox";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { ProxyCaller } from "../../proxy/proxy-caller.ts";
import type { Database } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import type { ListedProxyCall } from "../../store/operations/proxy-call-lists.ts";
import { listProxyUsage, type ProxyUsageRow } from "../../store/operations/proxy-usage.ts";
import { findInShards } from "../../store/shards/ask-shards.ts";
import {
  type CallOfShard,
  isCallId,
  isCallToken,
  listProxyCallsInShards,
} from "../../store/shards/proxy-calls-in-shards.ts";
import { chooseShards, type InShards } from "../run-in-shard.ts";
import { InstallationPath, requireInstallation } from "../installation-path.ts";
import { InstallationId, parseStatusFilter, StatusFilter } from "../members.ts";
import { listQuery, listPage, describePageQuery, describePage, periodQuery } from "../pages.ts";
import { INSTALLATION, PROJECT } from "../paths.ts";
import { describeTime } from "../../../ground/described.ts";

export const listProxyCallRoutes = (deps: InShards & { proxyCaller: ProxyCaller }): Route[] => [
  route(`GET ${INSTALLATION}/proxy-calls`, "full", listProxyCalls(deps)),
  route(`GET ${PROJECT}/proxy-calls`, "full", listProjectProxyCalls(deps)),
  route(`POST ${INSTALLATION}:call`, "full", callThroughProxy(deps)),
];

const ProxyCallSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the entry." }),
    installationId: InstallationId,
    method: Type.String({ description: "HTTP method." }),
    path: Type.String({
      description: "Path as the caller sent it, without the query, at most 1024 characters.",
    }),
    status: Type.Integer({
      description: "Status of the response; 499 if the caller disconnected before it.",
    }),
    time: describeTime("When the call started."),
    durationMs: Type.Integer({ description: "Duration in milliseconds." }),
    bytesUp: Type.Integer({ description: "Size of the request body." }),
    bytesDown: Type.Integer({ description: "Size of the response body that was passed on." }),
  },
  { title: "ProxyCall", description: "One call through the proxy." },
);

const ListedProxyCallSchema = Type.Object(
  {
    ...ProxyCallSchema.properties,
    groupRef: Type.Optional(
      Type.String({ description: "The customer. Absent if nothing is known of the installation any more." }),
    ),
    integrationName: Type.Optional(
      Type.String({ description: "Name of the integration. Absent under the same condition." }),
    ),
    apiKeyId: Type.Optional(
      Type.String({ description: "Id of the caller's API key. Absent for people and for schema watch." }),
    ),
    requestId: Type.Optional(
      Type.String({
        description: "The header `X-Request-Id` of the answer. Absent for schema watch and old entries.",
      }),
    ),
    refusedBy: Type.Optional(
      Type.Enum(["busbar", "provider"], {
        description: "Who refused the call: Busbar, or the provider with a status of 400 or more.",
      }),
    ),
  },
  { title: "ListedProxyCall", description: "One call through the proxy, in the list of a project." },
);

const toProxyCall = (row: ProxyUsageRow) => ({
  id: row.id,
  installationId: row.installationId,
  method: row.method,
  path: row.path,
  status: row.status,
  time: row.time.toISOString(),
  durationMs: row.durationMs,
  bytesUp: Number(row.bytesUp),
  bytesDown: Number(row.bytesDown),
});

const toListedProxyCall = (row: ListedProxyCall) => ({
  ...toProxyCall(row),
  ...(row.groupRef !== null && { groupRef: row.groupRef }),
  ...(row.integrationName !== null && { integrationName: row.integrationName }),
  ...(row.apiKeyId !== null && { apiKeyId: row.apiKeyId }),
  ...(row.requestId !== "" && { requestId: row.requestId }),
  ...tellRefusedBy(row),
});

/** Status of a call whose caller left before the answer. */
const CALLER_LEFT = 499;

function tellRefusedBy({ byBusbar, status }: ProxyUsageRow): { refusedBy?: "busbar" | "provider" } {
  if (byBusbar) return { refusedBy: "busbar" };
  return status >= 400 && status !== CALLER_LEFT ? { refusedBy: "provider" } : {};
}

const PAGE = { usual: 200, maximum: 1000 };

const listProxyCalls = (deps: InShards) =>
  projectEndpoint({
    operationId: "listProxyCalls",
    tag: "Operations",
    summary: "List proxied calls of an installation",
    description:
      "In pages, latest first. A call appears a second or two after its end and is kept for " +
      "BUSBAR_USAGE_RETENTION_DAYS.",
    params: InstallationPath,
    query: Type.Object(describePageQuery(PAGE)),
    success: {
      status: 200,
      description: "A page.",
      schema: describePage(ProxyCallSchema),
    },
    async handle({ project, params, query }) {
      const { database } = deps;
      const among = await chooseShards(deps, project.id, params);
      const list = (data: DataQueries, page: { installationId: string; before?: string; limit: number }) =>
        listProxyUsage(data, { projectId: project.id, ...page });
      const installationId = await requireInstallation(
        database.control,
        project.id,
        params,
        async (place) => {
          const found = await findInShards(among, async (data) => {
            const [entry] = await list(data, { installationId: place.installationId, limit: 1 });
            return entry;
          });
          return found !== undefined;
        },
      );
      const filter = { projectId: project.id, installationId };
      const page = await listPage<ListedCall, ListedCall>(query, {
        ...PAGE,
        isToken: isCallToken,
        getPageToken,
        list: (range) =>
          database.shards.length === 1
            ? list(database.data, { installationId, ...range })
            : listProxyCallsInShards(database, among, filter, range),
        show: (row) => row,
      });
      return { ...page, results: page.results.map(toProxyCall) };
    },
  });

/** With several shards, a row has a position. */
type ListedCall = ProxyUsageRow & Partial<Pick<CallOfShard, "position">>;

const getPageToken = ({ id, position }: ListedCall): string => position ?? id;

const describeFilter = (what: string) =>
  Type.Optional(Type.String({ description: `Return only calls ${what}.` }));

const listProjectProxyCalls = (deps: InShards) =>
  projectEndpoint({
    operationId: "listProjectProxyCalls",
    tag: "Operations",
    summary: "List proxied calls of the project",
    description:
      "The last begun first, with searches and calls of schema watch. Calls that Busbar itself refused are listed if their " +
      "installation is known. A call appears a second or two after its end and is kept for BUSBAR_USAGE_RETENTION_DAYS. " +
      "With filters other than the customer and the installation, one request examines 100,000 calls, 25,000 with `path`, so a " +
      "page can be short or empty and still have a `nextPageToken`, where the search continues.",
    query: Type.Object({
      status: StatusFilter,
      method: describeFilter("with this HTTP method"),
      path: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: "Return only calls whose path contains this text, in any case.",
        }),
      ),
      groupRef: describeFilter("for this customer"),
      integration: describeFilter("of the integration of this id or name"),
      installationId: describeFilter("of this installation"),
      refusedBy: Type.Optional(
        Type.Enum(["busbar", "provider"], {
          description: "Return only calls that were refused, and by whom.",
        }),
      ),
      ...periodQuery,
      ...listQuery,
    }),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: describePage(ListedProxyCallSchema) },
    async handle({ project, query }) {
      const { database } = deps;
      const among = await chooseShards(deps, project.id, query);
      const filter = { ...query, projectId: project.id, statuses: parseStatusFilter(query.status) };
      const page = await listPage(query, {
        isToken: isCallToken,
        isId: isCallId,
        getPageToken: ({ id, position }) => (database.shards.length > 1 ? position : id),
        list: (range) => listProxyCallsInShards(database, among, filter, range),
        show: (row: CallOfShard) => row,
      });
      return { ...page, results: page.results.map(toListedProxyCall) };
    },
  });

const CallSchema = Type.Object(
  {
    method: Type.Enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], {
      description: "HTTP method.",
    }),
    path: Type.String({
      pattern: "^/[\\x21-\\x7e]*$",
      maxLength: 16_000,
      description:
        "Path and query as the proxy takes them, percent-encoded: `/crm/objects/2026-03/contacts?limit=1`.",
    }),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          "Headers for the provider, without credentials. `accept-encoding` is ignored, because the answer is returned as text.",
      }),
    ),
    body: Type.Optional(
      Type.Unknown({ description: "A text is sent as it is; any other value is sent as JSON." }),
    ),
  },
  { title: "ProviderCall", description: "A request to the provider's API." },
);

const AnswerSchema = Type.Object(
  {
    status: Type.Integer({ description: "The provider's status." }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: "The answer's headers, names in lower case.",
    }),
    body: Type.String({ description: "The answer's body as text, at most 1 MiB." }),
    truncated: Type.Boolean({ description: "Whether the body was longer than 1 MiB and is cut off." }),
    durationMs: Type.Integer({ description: "Duration in milliseconds." }),
    requestId: Type.String({ description: "Request id of the entry in the list of proxied calls." }),
  },
  { title: "ProviderAnswer", description: "A provider's answer." },
);

const callThroughProxy = (deps: { database: Database; proxyCaller: ProxyCaller }) =>
  projectEndpoint({
    operationId: "callProvider",
    tag: "Operations",
    summary: "Call the provider's API",
    description:
      "Sends one request through the proxy with the customer's credentials, and returns the answer as JSON, whatever its " +
      "status. For trials and tools; applications call the proxy itself, which streams and has no limit of size. The " +
      "call has the proxy's limits and is in the list of proxied calls.",
    params: InstallationPath,
    body: CallSchema,
    success: { status: 200, description: "The provider answered.", schema: AnswerSchema },
    refusals: {
      429: "A limit of the proxy is reached, or the connection's gate is closed.",
      502: "The provider could not be reached.",
      504: "The provider did not answer in time.",
    },
    async handle({ project, params, body, caller, requestId }) {
      const { control } = deps.database;
      const installationId = await requireInstallation(control, project.id, params, async () => false);
      const { method, path, headers = {} } = body;
      const answer = await deps.proxyCaller.call({
        projectId: project.id,
        installationId,
        by: { requestId, ...(caller.apiKeyId !== undefined && { apiKeyId: caller.apiKeyId }) },
        method,
        path,
        headers,
        ...(body.body !== undefined && { body: asText(body.body) }),
      });
      return { ...answer, requestId };
    },
  });

const asText = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body));
