/** GET …/installations/{installationId}/proxy-calls */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { isUuid } from "../../ground/ids.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listProxyUsage, type ProxyUsageRow } from "../../store/proxy-usage.ts";
import { TimeSchema } from "../times.ts";

const ProxyCallSchema = Type.Object(
  {
    id: Type.String(),
    installationId: Type.String(),
    method: Type.String(),
    path: Type.String({ description: "As the caller wrote it, without the query; at most 1024 characters." }),
    status: Type.Integer({ description: "What the caller got; 499 if it left before an answer began." }),
    time: Type.Unsafe<string>({ ...TimeSchema, description: "When the call began." }),
    durationMs: Type.Integer(),
    bytesUp: Type.Integer({ description: "Of the request's body." }),
    bytesDown: Type.Integer({ description: "Of the answer's body, as far as it was passed on." }),
  },
  { title: "ProxyCall" },
);

/** Row ids are positive 64-bit integers. */
const isPageToken = (token: string): boolean => /^[1-9]\d{0,17}$/.test(token);

export const listProxyCalls = (on: { database: Database }) =>
  projectEndpoint({
    operationId: "listProxyCalls",
    tag: "Operations",
    summary: "List proxied calls of an installation",
    description:
      "The last stored first, in pages. A call appears a second or two after its end, and is kept for BUSBAR_USAGE_RETENTION_DAYS.",
    params: Type.Object({ integrationId: Type.String(), installationId: Type.String() }),
    query: Type.Object({
      pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: "Default 200." })),
      pageToken: Type.Optional(Type.String({ description: "`nextPageToken` of the page before." })),
    }),
    success: {
      status: 200,
      description: "A page.",
      schema: Type.Object({
        results: Type.Array(ProxyCallSchema),
        pagination: Type.Object({ done: Type.Boolean(), nextPageToken: Type.Optional(Type.String()) }),
      }),
    },
    async handle({ project, params, query }) {
      const { pageSize = 200, pageToken } = query;
      if (pageToken !== undefined && !isPageToken(pageToken)) {
        const detail = "pageToken: is not one that this list gave out. Start without it.";
        throw new Problem("invalid-request", {
          detail,
          issues: [{ in: "query", name: "pageToken", detail }],
        });
      }
      const { installationId } = params;
      if (!isUuid(installationId)) {
        throw new Problem("not-found", { detail: `There is no installation \`${installationId}\`.` });
      }
      const page = { projectId: project.id, installationId, before: pageToken, limit: pageSize + 1 };
      const rows = await listProxyUsage(on.database.queries, page);
      const results = rows.slice(0, pageSize).map(toProxyCall);
      const done = rows.length <= pageSize;
      return { results, pagination: { done, ...(!done && { nextPageToken: results.at(-1)?.id }) } };
    },
  });

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
