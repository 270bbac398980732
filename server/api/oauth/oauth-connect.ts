/** POST /v1/oauth-connect: starts an OAuth flow for a customer. */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { enteredMetadata } from "../../credentials/stored/provider-metadata.ts";
import { untold } from "../../credentials/stored/told-metadata.ts";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { ProviderMetadataInput, WorkspaceRefInput } from "../connections/connection.ts";
import { ConsumerRef, GroupRef } from "../members.ts";
import { missingProvider } from "../missing-provider.ts";
import { beginConsent, type ConsentServices } from "./begin-consent.ts";

export const oauthConnect = (deps: ConsentServices) =>
  projectEndpoint({
    operationId: "oauthConnect",
    tag: "OAuth",
    summary: "Start connecting a customer's account",
    description:
      "Returns the URL of a page of this Busbar, valid for ten minutes and one use. Open it in a new window: it names the " +
      "application, the account and the group, and continues to the provider's consent page. The final page posts the " +
      "result to the window that opened it. A group that is already connected keeps its connection and gets new " +
      "credentials.",
    projectInBody: true,
    body: Type.Object({
      projectIdOrName: Type.Optional(Type.String({ description: "Required." })),
      projectId: Type.Optional(Type.String({ description: "Deprecated name of `projectIdOrName`." })),
      provider: Type.String({
        minLength: 1,
        description: "The provider's name in the catalog (`GET /v1/providers`).",
      }),
      groupRef: GroupRef,
      groupName: Type.Optional(
        Type.String({ maxLength: 255, description: "Display name of the group. Default: `groupRef`." }),
      ),
      consumerRef: ConsumerRef,
      consumerName: Type.Optional(
        Type.String({ maxLength: 255, description: "Display name of the person. Default: `consumerRef`." }),
      ),
      providerWorkspaceRef: Type.Optional(WorkspaceRefInput),
      providerMetadata: Type.Optional(ProviderMetadataInput),
      providerAppId: Type.Optional(
        Type.String({ description: "Default: the project's first provider app for the provider." }),
      ),
      enableCSRFProtection: Type.Optional(
        Type.Boolean({
          description: "Has no effect: every consent is bound to the browser that continues to the provider.",
        }),
      ),
    }),
    success: {
      status: 200,
      description: "The URL to open.",
      schema: Type.String(),
      media: "text/plain",
    },
    async handle({ project, caller, body }) {
      const provider = deps.catalog.of(project.id).find(body.provider);
      if (!provider) throw unknownProvider(deps.catalog.of(project.id), body.provider);
      const { groupRef, groupName, consumerRef, consumerName, providerAppId } = body;
      const given = untold(caller, provider, body);
      const providerMetadata = enteredMetadata(provider, given.providerMetadata, given.providerWorkspaceRef);
      return beginConsent(deps, {
        projectId: project.id,
        provider: provider.name,
        providerAppId,
        groupRef,
        groupName: groupName || undefined,
        consumerRef,
        consumerName: consumerName || undefined,
        providerWorkspaceRef: providerMetadata["workspace"]?.value ?? given.providerWorkspaceRef,
        providerMetadata,
      });
    },
  });

function unknownProvider(catalog: Catalog, key: string): Problem {
  const detail = missingProvider(catalog, key);
  return new Problem("invalid-request", {
    detail,
    issues: [{ in: "body", name: "provider", detail, value: key }],
  });
}
