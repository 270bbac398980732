/** GET …/installations/{installationId}/subscriptions */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { awaitPushes, LIST_WAIT_MS } from "../../subscribe/await-pushes.ts";
import { describeSubscriptions } from "../../subscribe/describe-subscriptions.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { getIntegrationRow } from "../integration.ts";
import { SubscriptionPath, SubscriptionSchema, toSubscription } from "./subscription.ts";

export const listSubscriptions = (deps: { database: Database; catalog: Catalog; publicUrl: () => string }) =>
  projectEndpoint({
    operationId: "listSubscriptions",
    tag: "Subscribe",
    summary: "List subscriptions of an installation",
    description: "One for each object that the manifest or the configuration subscribes to, with its state.",
    params: SubscriptionPath,
    success: {
      status: 200,
      description: "All of them.",
      schema: Type.Array(SubscriptionSchema, { description: "The subscriptions." }),
    },
    async handle({ project, params }) {
      const { queries } = deps.database;
      const integration = await getIntegrationRow(queries, project.id, params.integrationId);
      const row = await getInstallationRow(queries, project.id, integration.id, params.installationId);
      await awaitPushes(deps, project.id, LIST_WAIT_MS);
      return (await describeSubscriptions(deps, integration, row)).map(toSubscription);
    },
  });
