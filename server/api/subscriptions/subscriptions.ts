/** Subscriptions: the endpoints that show, test and reconcile them. */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { now } from "../../../ground/clock.ts";
import { suggestName } from "../../../ground/closest.ts";
import { type Issue, Problem } from "../../../ground/errors.ts";
import { projectEndpoint, route, type Endpoint, type Route } from "../../http/endpoint.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import type { CustomerShards } from "../../operations/customer-shards.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import { READ_REFUSALS, readProblem } from "../../read/definition/read-problem.ts";
import type { Database } from "../../store/database/database.ts";
import { requestReconciliation } from "../../store/subscriptions/subscription-scans.ts";
import { listSubscriptions as listRows } from "../../store/subscriptions/subscriptions.ts";
import { awaitPushes, LIST_WAIT_MS } from "../../subscribe/receive/await-pushes.ts";
import { isPublic } from "../../subscribe/setup/choose-source.ts";
import { describeSubscriptions } from "../../subscribe/setup/describe-subscriptions.ts";
import { planRegistration } from "../../subscribe/setup/plan-registration.ts";
import { sendSampleEvent } from "../../subscribe/process/send-sample-event.ts";
import { findSubscriptionTarget } from "../../subscribe/definition/subscription-target.ts";
import { listWatchNames } from "../../subscribe/definition/watched-fields.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { runInShardOfInstallation } from "../run-in-shard.ts";
import { getIntegrationRow } from "../integration.ts";
import { IntegrationIdOrName } from "../members.ts";
import { INSTALLATION, INTEGRATION } from "../paths.ts";
import { listSubscriptionEvents } from "./list-subscription-events.ts";
import { findRefusedPushes, type RefusedPushes } from "../../store/subscriptions/refused-pushes.ts";
import { SubscriptionPath, SubscriptionSchema, toSubscription } from "./subscription.ts";
import { describeTime } from "../../../ground/described.ts";

export const listSubscriptionRoutes = (
  deps: Services & {
    database: Database;
    shards: CustomerShards<{ database: Database }>;
    catalog: Catalog;
    publicUrl: () => string;
  },
): Route[] => {
  const inShard = (build: (services: typeof deps) => Endpoint) => runInShardOfInstallation(deps, build);
  return [
    route(`GET ${INTEGRATION}/subscribe-setup`, "full", getSubscribeSetup(deps)),
    route(`GET ${INSTALLATION}/subscriptions`, "frontend", inShard(listSubscriptions)),
    route(`GET ${INSTALLATION}/subscription-events`, "frontend", inShard(listSubscriptionEvents)),
    route(`POST ${INSTALLATION}/subscriptions:test`, "frontend", inShard(testSubscription)),
    route(`POST ${INSTALLATION}/subscriptions:reconcile`, "frontend", inShard(reconcileSubscriptions)),
  ];
};

const listSubscriptions = (deps: { database: Database; catalog: Catalog; publicUrl: () => string }) =>
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
      const { control, data } = deps.database;
      const integration = await getIntegrationRow(control, project.id, params.integrationId);
      const row = await getInstallationRow(data, project.id, integration.id, params.installationId);
      await awaitPushes(deps, project.id, LIST_WAIT_MS);
      return (await describeSubscriptions(deps, integration, row)).map(toSubscription);
    },
  });

const getSubscribeSetup = (deps: { database: Database; catalog: Catalog; publicUrl: () => string }) =>
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
        refusedPushes: Type.Optional(
          Type.Object(
            {
              since: describeTime("Time of the first one."),
              lastTime: describeTime("Time of a late one."),
              detail: Type.String({ description: "What to check." }),
            },
            {
              description:
                "Set while every push of the provider is refused because its signature does not match, since the last one that was " +
                "accepted. Anybody can send such requests, so they make no installation unhealthy.",
            },
          ),
        ),
        webhooksConfig: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description: "Content of `webhooks-hsmeta.json`, for providers that take such a file.",
          }),
        ),
      }),
    },
    async handle({ project, params }) {
      const integration = await getIntegrationRow(deps.database.control, project.id, params.integrationId);
      const { name, provider, latestRevision } = integration;
      const origin = deps.publicUrl();
      const base = `${origin}/subscribe/v1/projects/${encodeURIComponent(project.name)}`;
      const callbackURL = `${base}/integrations/${encodeURIComponent(name)}`;
      const connector = deps.catalog.of(project.id).connector(provider);
      const objects = planRegistration(latestRevision.content, listWatchNames(connector));
      const webhooksConfig = connector?.subscribe?.registration?.(objects, callbackURL);
      const pushing = { projectId: project.id, provider };
      const refused = await findRefusedPushes(deps.database.control, pushing);
      return {
        callbackURL,
        providerCallbackURL: `${base}/providers/${encodeURIComponent(provider)}`,
        publicAddress: isPublic(origin),
        ...(refused && { refusedPushes: showRefusedPushes(refused, provider) }),
        ...(webhooksConfig && { webhooksConfig }),
      };
    },
  });

const showRefusedPushes = ({ firstTime, lastTime }: RefusedPushes, provider: string) => ({
  since: firstTime.toISOString(),
  lastTime: lastTime.toISOString(),
  detail:
    `The signatures of pushes match no client secret of the project's provider apps for ${provider}, and none was accepted since. Check ` +
    "that the provider calls the address above (BUSBAR_PUBLIC_URL), and the client secret. If it does not push, somebody else sends them.",
});

type Services = CallServices & { installations: InstallationCache; metadata: MetadataMemory };

const LONGEST_ID = 255;

const testSubscription = (deps: Services) =>
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
      const { control, data } = deps.database;
      const integration = await getIntegrationRow(control, project.id, params.integrationId);
      const row = await getInstallationRow(data, project.id, integration.id, params.installationId);
      const { objectName, eventType: type, recordId } = body;
      const of = { projectId: project.id, installationId: row.id, objectName };
      const subscriptions = await listRows(data, project.id, row.id);
      const target = await findSubscriptionTarget(deps, of);
      const { definition, destination } = target ?? {};
      if (!target || !definition) {
        throw refuseUnknownObject(
          objectName,
          subscriptions.map((one) => one.objectName),
        );
      }
      if (!destination) throw refuseWithoutDestination(definition.destination);
      const accountRef = subscriptions.find((one) => one.objectName === objectName)?.accountRef;
      const sample = { target: { ...target, definition, destination }, type, recordId };
      try {
        await sendSampleEvent(deps, { ...sample, workspace: accountRef ?? undefined });
      } catch (error) {
        throw error instanceof ProviderError ? readProblem(error, row.connectionId) : error;
      }
    },
  });

function refuseUnknownObject(objectName: string, known: string[]): Problem {
  const detail = `The installation does not subscribe to \`${objectName}\`.`;
  const remedy = suggestName(
    objectName,
    known,
    "Name an object of `subscribe` in its manifest or configuration.",
  );
  const issue: Issue = { in: "body", name: "objectName", detail, value: objectName, remedy };
  return new Problem("invalid-request", { detail: `${detail} ${remedy}`, issues: [issue] });
}

const refuseWithoutDestination = (name: string): Problem =>
  new Problem("invalid-request", {
    detail: `The destination \`${name}\` of the subscription does not exist, or is disabled. Create or enable it.`,
  });

const REASON = "It was requested through the API.";
const MAX_OBJECTS = 100;

const reconcileSubscriptions = (deps: { database: Database; catalog: Catalog; publicUrl: () => string }) =>
  projectEndpoint({
    operationId: "reconcileSubscriptions",
    tag: "Subscribe",
    summary: "Find missed changes by reading",
    description:
      "Reads which records were changed or deleted since a time, and delivers those that your destination does not have " +
      "in their present state. Their entries have the `providerEventType` `RECONCILED` and `rawEvent` with `reconciled`, " +
      "`since` and `until`. Events that are switched off stay off. `listSubscriptions` shows how it goes.",
    params: SubscriptionPath,
    body: Type.Object({
      since: Type.String({
        description: "Look for changes since this time, such as `2026-01-31T12:00:00Z`.",
      }),
      objects: Type.Optional(
        Type.Array(Type.String({ description: "The provider's name of an object." }), {
          minItems: 1,
          maxItems: MAX_OBJECTS,
          description: "Default: every object that is subscribed to.",
        }),
      ),
    }),
    success: { status: 202, description: "It will begin at once." },
    async handle({ project, params, body }) {
      const { control, data } = deps.database;
      const since = readSince(body.since);
      const integration = await getIntegrationRow(control, project.id, params.integrationId);
      const row = await getInstallationRow(data, project.id, integration.id, params.installationId);
      const known = (await describeSubscriptions(deps, integration, row)).map(({ objectName }) => objectName);
      const unknown = body.objects?.findIndex((name) => !known.includes(name)) ?? -1;
      if (unknown !== -1) throw buildUnknownObjectAt(unknown, body.objects?.[unknown] ?? "", known);
      for (const objectName of new Set(body.objects ?? known)) {
        await requestReconciliation(data, { installationId: row.id, objectName, since, reason: REASON });
      }
    },
  });

/** RFC 3339: without a zone the time would be the server's. */
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

function readSince(text: string): Date {
  const since = new Date(TIME.test(text) ? text : Number.NaN);
  if (Number.isNaN(since.getTime())) {
    throw refuse({
      name: "since",
      detail: "`since` must be a time with its zone.",
      value: text,
      remedy: "Write it like 2026-01-31T12:00:00Z.",
    });
  }
  if (since <= now()) return since;
  const remedy = "Name a time in the past.";
  throw refuse({ name: "since", detail: "`since` must not be in the future.", value: text, remedy });
}

function buildUnknownObjectAt(index: number, value: string, known: string[]): Problem {
  const detail = `The installation does not subscribe to \`${value}\`.`;
  const remedy = suggestName(value, known, "Name an object of `subscribe` in its manifest or configuration.");
  return refuse({ name: `objects[${index}]`, detail, value, remedy });
}

const refuse = (issue: Omit<Issue, "in"> & { remedy: string }): Problem =>
  new Problem("invalid-request", {
    detail: `${issue.detail} ${issue.remedy}`,
    issues: [{ in: "body", ...issue } as Issue],
  });
