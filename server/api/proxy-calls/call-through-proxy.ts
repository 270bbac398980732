/** POST …/installations/{installationId}:call */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ProxyCaller } from "../../proxy/proxy-caller.ts";
import type { Database } from "../../store/database.ts";
import { InstallationPath, requireInstallation } from "../installation-path.ts";

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

export const callThroughProxy = (deps: { database: Database; proxyCaller: ProxyCaller }) =>
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
      const { queries } = deps.database;
      const installationId = await requireInstallation(queries, project.id, params, async () => false);
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
