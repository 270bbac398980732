/** The proxied call as the API shows it. */
import { Type } from "typebox";
import type { ListedProxyCall } from "../../store/proxy-call-lists.ts";
import type { ProxyUsageRow } from "../../store/proxy-usage.ts";
import { InstallationId } from "../members.ts";

export const ProxyCallSchema = Type.Object(
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
    time: Type.String({ format: "date-time", description: "When the call started." }),
    durationMs: Type.Integer({ description: "Duration in milliseconds." }),
    bytesUp: Type.Integer({ description: "Size of the request body." }),
    bytesDown: Type.Integer({ description: "Size of the response body that was passed on." }),
  },
  { title: "ProxyCall", description: "One call through the proxy." },
);

export const ListedProxyCallSchema = Type.Object(
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

export const toProxyCall = (row: ProxyUsageRow) => ({
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

export const toListedProxyCall = (row: ListedProxyCall) => ({
  ...toProxyCall(row),
  ...(row.groupRef !== null && { groupRef: row.groupRef }),
  ...(row.integrationName !== null && { integrationName: row.integrationName }),
  ...(row.apiKeyId !== null && { apiKeyId: row.apiKeyId }),
  ...(row.requestId !== "" && { requestId: row.requestId }),
  ...refusedBy(row),
});

/** Status of a call whose caller left before the answer. */
const CALLER_LEFT = 499;

function refusedBy({ byBusbar, status }: ProxyUsageRow): { refusedBy?: "busbar" | "provider" } {
  if (byBusbar) return { refusedBy: "busbar" };
  return status >= 400 && status !== CALLER_LEFT ? { refusedBy: "provider" } : {};
}

/** Row ids are positive 64-bit integers. */
export const isProxyCallId = (token: string): boolean => /^[1-9]\d{0,17}$/.test(token);
