/** POST /v1/custom-auth/connect: connects by a provider-specific scheme, in one or more steps. */
import type { IncomingHttpHeaders } from "node:http";
import { Type, type Static } from "typebox";
import { omitReported } from "../../credentials/stored/reported-metadata.ts";
import { normalizeMetadata, requireAddress } from "../../credentials/stored/provider-metadata.ts";
import { readCredentials } from "../../credentials/connect/read-credentials.ts";
import { described } from "../../../ground/described.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import { projectEndpoint, type Caller } from "../../http/endpoint.ts";
import { ConnectionSchema, ProviderMetadataInput, toConnection } from "../connections/connection.ts";
import { ConsumerRef, GroupRef, ProjectIdOrName, ProviderName } from "../members.ts";
import { explainMissingProvider } from "../explain-missing-provider.ts";
import { runFlow, resumeFlow, type Flow, type FlowServices } from "./custom-auth-flow.ts";
import { getUsableProviderApp } from "./get-usable-provider-app.ts";

const RequestSchema = Type.Object({
  projectIdOrName: ProjectIdOrName,
  provider: Type.Optional(ProviderName),
  groupRef: Type.Optional(GroupRef),
  groupName: Type.Optional(
    Type.String({ maxLength: 255, description: "Display name of the group. Default: `groupRef`." }),
  ),
  consumerRef: Type.Optional(ConsumerRef),
  consumerName: Type.Optional(
    Type.String({ maxLength: 255, description: "Display name of the person. Default: `consumerRef`." }),
  ),
  providerMetadata: Type.Optional(ProviderMetadataInput),
  providerAppId: Type.Optional(
    Type.String({
      description:
        "Id of the provider app to sign in with. Default: the project's first provider app for the provider.",
    }),
  ),
  customAuth: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: 100,
      description: "The customer's inputs, by the names in the catalog's `customOpts.inputs`.",
    }),
  ),
  sessionId: Type.Optional(
    Type.String({ maxLength: 255, description: "`sessionId` of the previous answer's `redirect`." }),
  ),
  callbackParams: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 16_384 }), {
      maxProperties: 100,
      description: "The `params` of the callback page's message.",
    }),
  ),
});

const AnswerSchema = Type.Object(
  {
    redirect: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: "URL to open in a window." }),
          sessionId: Type.String({ description: "Id of the session. Send it with the next call." }),
        },
        { description: "Page of the provider that the customer has to visit next." },
      ),
    ),
    connection: Type.Optional(described(ConnectionSchema, "The connection, once the last step is done.")),
  },
  { title: "CustomAuthConnectResponse", description: "Exactly one of the two members." },
);

export const customAuthConnect = (deps: FlowServices) =>
  projectEndpoint({
    operationId: "customAuthConnect",
    tag: "OAuth",
    summary: "Connect by a provider-specific scheme",
    description:
      "For providers with `customOpts` in the catalog. The first call contains provider, group, consumer " +
      "and inputs. It returns the connection or a redirect. For a redirect, open `redirect.url` in a " +
      "window (a page of this Busbar that continues to the provider's), wait for the message of the callback page, and call again with `sessionId` and the message's " +
      "`params` as `callbackParams`, until there is a connection. A session is valid for ten minutes and " +
      "one call. A group that is already connected keeps its connection and gets new credentials.",
    projectInBody: true,
    body: RequestSchema,
    success: { status: 200, description: "The connection, or the next step.", schema: AnswerSchema },
    refusals: { 422: "The provider rejected a step.", 502: "The provider could not be reached." },
    async handle({ project, caller, body, headers }) {
      const { sessionId, callbackParams = {} } = body;
      const { groupRef, consumerRef } = caller;
      const result =
        sessionId === undefined
          ? await runFlow(deps, {
              ...(await begin(deps, project.id, caller, body)),
              origin: readWebOrigin(headers),
            })
          : await resumeFlow(
              deps,
              { projectId: project.id, groupRef, consumerRef },
              sessionId,
              callbackParams,
            );
      return "row" in result ? { connection: toConnection(result.row) } : result;
    },
  });

async function begin(
  deps: FlowServices,
  projectId: string,
  caller: Caller,
  body: Static<typeof RequestSchema>,
): Promise<Flow> {
  const { groupRef, groupName, consumerRef, consumerName, customAuth = {}, providerAppId } = body;
  if (body.provider === undefined) throw toMemberProblem("provider", "is missing");
  const catalog = deps.catalog.of(projectId);
  const provider = catalog.find(body.provider);
  if (!provider) throw toMemberProblem("provider", explainMissingProvider(catalog, body.provider));
  if (groupRef === undefined) throw toMemberProblem("groupRef", "is missing");
  if (consumerRef === undefined) throw toMemberProblem("consumerRef", "is missing");
  if (provider.authType !== "custom")
    throw toMemberProblem(
      "provider",
      `${provider.name} has no custom authentication scheme. Use connections:generate.`,
    );
  const metadata = normalizeMetadata(provider, omitReported(caller, provider, body).providerMetadata);
  const credentials = readCredentials(provider, { customAuth });
  if (credentials.scheme !== "custom")
    throw toMemberProblem("provider", `${provider.name} has no custom authentication scheme.`);
  // Values of later steps cannot be required yet; without steps, a missing value is refused before the provider is called.
  if (!provider.customOpts?.connectSteps) requireAddress(provider, metadata, deps.egress.allowsPlainHttp);
  const app = provider.customOpts?.providerInputs?.length
    ? await getUsableProviderApp(deps.database, { projectId, provider: provider.name, providerAppId })
    : undefined;
  return {
    projectId,
    provider,
    app,
    groupRef,
    groupName: groupName || undefined,
    consumerRef,
    consumerName: consumerName || undefined,
    metadata,
    credentials,
  };
}

/** Returns the origin of the calling page, if it is http or https: others cannot be the target of a message. */
function readWebOrigin({ origin = "" }: IncomingHttpHeaders): string | undefined {
  if (!/^https?:/.test(origin) || !URL.canParse(origin)) return undefined;
  return new URL(origin).origin;
}
