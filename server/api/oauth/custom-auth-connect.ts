/** POST /v1/custom-auth/connect: a connection from what a customer typed into the fields of the provider's own scheme. */
import { Type } from "typebox";
import { enteredMetadata, requireAddress } from "../../credentials/provider-metadata.ts";
import { readCredentials } from "../../credentials/read-credentials.ts";
import type { RefreshServices } from "../../credentials/refresh-tokens.ts";
import { Problem } from "../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { ConnectionSchema, ProviderMetadataSchema, toConnection } from "../connections/connection.ts";
import { saveConnection } from "../connections/save-connection.ts";

const Ref = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));

const RequestSchema = Type.Object({
  projectIdOrName: Type.String(),
  provider: Type.Optional(Type.String()),
  groupRef: Ref,
  groupName: Type.Optional(Type.String({ maxLength: 255 })),
  consumerRef: Ref,
  consumerName: Type.Optional(Type.String({ maxLength: 255 })),
  providerMetadata: Type.Optional(ProviderMetadataSchema),
  providerAppId: Type.Optional(Type.String()),
  customAuth: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  sessionId: Type.Optional(Type.String({ description: "Of the redirect that a step before answered." })),
  callbackParams: Type.Optional(Type.Record(Type.String(), Type.String())),
});

export const customAuthConnect = (on: RefreshServices) =>
  projectEndpoint({
    operationId: "customAuthConnect",
    tag: "OAuth",
    summary: "Connect by a provider's own scheme",
    description:
      "For providers whose catalog entry has `customOpts`. The first call names provider, group, consumer and the " +
      "inputs; it answers the connection. A group that is connected already keeps its connection, with new credentials.",
    projectInBody: true,
    body: RequestSchema,
    success: {
      status: 200,
      description: "The connection.",
      schema: Type.Object({ connection: ConnectionSchema }),
    },
    refusals: { 501: "The provider wants several steps to sign in, which is not built yet." },
    async handle({ project, body }) {
      if (body.sessionId !== undefined)
        throw wrong("sessionId", "There is no such session, or it has expired. Begin again.");
      const { groupRef, consumerRef, customAuth } = body;
      const provider = body.provider === undefined ? undefined : on.catalog.find(body.provider);
      if (!provider) throw wrong("provider", `There is no provider \`${body.provider ?? ""}\`.`);
      if (groupRef === undefined) throw wrong("groupRef", "is missing");
      if (consumerRef === undefined) throw wrong("consumerRef", "is missing");
      if (provider.authType !== "custom")
        throw wrong("provider", `${provider.name} has no scheme of its own. Use connections:generate.`);
      if (provider.customOpts?.multiStep) throw severalSteps(provider.name);
      const providerMetadata = enteredMetadata(provider, body.providerMetadata);
      requireAddress(provider, providerMetadata, on.egress.allowsPlainHttp);
      const row = await saveConnection(on, {
        projectId: project.id,
        provider: provider.name,
        groupRef,
        groupName: body.groupName || undefined,
        consumerRef,
        consumerName: body.consumerName || undefined,
        providerWorkspaceRef: providerMetadata["workspace"]?.value,
        providerMetadata,
        credentials: readCredentials(provider, { customAuth }),
      });
      return { connection: toConnection(row) };
    },
  });

const severalSteps = (provider: string): Problem =>
  new Problem("not-built", {
    detail: `${provider} is connected in several steps, which Busbar cannot do yet. Use connections:generate with its credentials.`,
  });

const wrong = (name: string, detail: string): Problem =>
  new Problem("invalid-request", { detail: `${name}: ${detail}`, issues: [{ in: "body", name, detail }] });
