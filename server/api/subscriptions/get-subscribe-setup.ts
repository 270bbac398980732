/** GET …/integrations/{integrationId}/subscribe-setup */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { isPublic } from "../../subscribe/choose-source.ts";
import { planRegistration } from "../../subscribe/plan-registration.ts";
import { listWatchNames } from "../../subscribe/watched-fields.ts";
import { getIntegrationRow } from "../integration.ts";
import { IntegrationIdOrName } from "../members.ts";

export const getSubscribeSetup = (deps: { database: Database; catalog: Catalog; publicUrl: () => string }) =>
  projectEndpoint({
    operationId: "getSubscribeSetup",
    tag: "Subscribe",
    summary: "Get what to register at the provider",
    description:
      "The addresses for the provider's pushes, and for providers that take a file the content of it, made from the " +
      "manifest. Settings that single customers' configurations add are not in the file.",
    params: Type.Object({ integrationId: IntegrationIdOrName }),
    success: {
      status: 200,
      description: "What to register.",
      schema: Type.Object({
        callbackURL: Type.String({ description: "Address for pushes of this integration's provider." }),
        providerCallbackURL: Type.String({
          description: "The same for all integrations of the project with the provider.",
        }),
        publicAddress: Type.Boolean({
          description: "Whether the address is https and not private, so that a provider can reach it.",
        }),
        webhooksConfig: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description: "Content of `webhooks-hsmeta.json`, for providers that take such a file.",
          }),
        ),
      }),
    },
    async handle({ project, params }) {
      const integration = await getIntegrationRow(deps.database.queries, project.id, params.integrationId);
      const { name, provider, latestRevision } = integration;
      const origin = deps.publicUrl();
      const base = `${origin}/subscribe/v1/projects/${encodeURIComponent(project.name)}`;
      const callbackURL = `${base}/integrations/${encodeURIComponent(name)}`;
      const connector = deps.catalog.of(project.id).connector(provider);
      const objects = planRegistration(latestRevision.content, listWatchNames(connector));
      const webhooksConfig = connector?.subscribe?.registration?.(objects, callbackURL);
      return {
        callbackURL,
        providerCallbackURL: `${base}/providers/${encodeURIComponent(provider)}`,
        publicAddress: isPublic(origin),
        ...(webhooksConfig && { webhooksConfig }),
      };
    },
  });
