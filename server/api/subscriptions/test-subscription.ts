/** POST …/installations/{installationId}/subscriptions:test */
import { Type } from "typebox";
import { ProviderError } from "../../../connector-kit/provider-error.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { didYouMean } from "../../../ground/closest.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import { READ_REFUSALS, readProblem } from "../../read/read-problem.ts";
import { listSubscriptions } from "../../store/subscriptions.ts";
import { sendSampleEvent } from "../../subscribe/send-sample-event.ts";
import { findSubscriptionTarget } from "../../subscribe/subscription-target.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { getIntegrationRow } from "../integration.ts";
import { SubscriptionPath } from "./subscription.ts";

type Services = CallServices & { installations: InstallationCache; metadata: MetadataMemory };

const LONGEST_ID = 255;

export const testSubscription = (deps: Services) =>
  projectEndpoint({
    operationId: "testSubscription",
    tag: "Subscribe",
    summary: "Send a test event",
    description:
      "Sends a message with one entry to the destination of a subscription, as for an event of the provider. Its " +
      "`rawEvent` has `test: true`. With `recordId` the record is read from the customer's account; without it the id " +
      "is `test` and every value is null.",
    params: SubscriptionPath,
    body: Type.Object({
      objectName: Type.String({ minLength: 1, description: "The provider's name of the object." }),
      eventType: Type.Union(
        [
          Type.Literal("create"),
          Type.Literal("update"),
          Type.Literal("delete"),
          Type.Literal("associationUpdate"),
          Type.Literal("other"),
        ],
        { description: "What is supposed to have happened." },
      ),
      recordId: Type.Optional(
        Type.String({ minLength: 1, maxLength: LONGEST_ID, description: "The provider's id of a record." }),
      ),
    }),
    success: { status: 202, description: "The message will be delivered." },
    refusals: READ_REFUSALS,
    async handle({ project, params, body }) {
      const { queries } = deps.database;
      const integration = await getIntegrationRow(queries, project.id, params.integrationId);
      const row = await getInstallationRow(queries, project.id, integration.id, params.installationId);
      const { objectName, eventType: type, recordId } = body;
      const of = { projectId: project.id, installationId: row.id, objectName };
      const subscriptions = await listSubscriptions(queries, project.id, row.id);
      const target = await findSubscriptionTarget(deps, of);
      const { definition, destination } = target ?? {};
      if (!target || !definition) {
        throw unknownObject(
          objectName,
          subscriptions.map((one) => one.objectName),
        );
      }
      if (!destination) throw noDestination(definition.destination);
      const accountRef = subscriptions.find((one) => one.objectName === objectName)?.accountRef;
      const sample = { target: { ...target, definition, destination }, type, recordId };
      try {
        await sendSampleEvent(deps, { ...sample, workspace: accountRef ?? undefined });
      } catch (error) {
        throw error instanceof ProviderError ? readProblem(error, row.connectionId) : error;
      }
    },
  });

function unknownObject(objectName: string, known: string[]): Problem {
  const detail = `The installation does not subscribe to \`${objectName}\`.`;
  const remedy = didYouMean(
    objectName,
    known,
    "Name an object of `subscribe` in its manifest or configuration.",
  );
  const issue: Issue = { in: "body", name: "objectName", detail, value: objectName, remedy };
  return new Problem("invalid-request", { detail: `${detail} ${remedy}`, issues: [issue] });
}

const noDestination = (name: string): Problem =>
  new Problem("invalid-request", {
    detail: `The destination \`${name}\` of the subscription does not exist, or is disabled. Create or enable it.`,
  });
