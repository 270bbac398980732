/** The routes of subscriptions: the receiver for providers, and what builders and customers look up. */
import { getRecordTrace } from "./api/records/get-record-trace.ts";
import { getSubscribeSetup } from "./api/subscriptions/get-subscribe-setup.ts";
import { listSubscriptionEvents } from "./api/subscriptions/list-subscription-events.ts";
import { listSubscriptions } from "./api/subscriptions/list-subscriptions.ts";
import { reconcileSubscriptions } from "./api/subscriptions/reconcile-subscriptions.ts";
import { testSubscription } from "./api/subscriptions/test-subscription.ts";
import type { CallServices } from "./operations/call-provider.ts";
import type { InstallationCache } from "./operations/installation-cache.ts";
import type { MetadataMemory } from "./operations/metadata-memory.ts";
import { route, type Route } from "./http/endpoint.ts";
import {
  receiveEvents,
  receiveEventsOfInstallation,
  receiveEventsOfProvider,
} from "./subscribe/receive-events.ts";
import type { ReceiveServices } from "./subscribe/store-push.ts";

export type SubscribeRouteServices = ReceiveServices &
  CallServices & { installations: InstallationCache; metadata: MetadataMemory };

const P = "/v1/projects/{projectIdOrName}";
const INTEGRATION = `${P}/integrations/{integrationId}`;
const INSTALLATION = `${INTEGRATION}/installations/{installationId}`;
const PROVIDER = `${P}/providers/{provider}`;
const RECEIVER = `${P}/integrations/{integrationIdOrName}`;

/** Returns the routes. Describing them needs no services. */
export const subscribeRoutes = (deps: SubscribeRouteServices): Route[] => [
  route(`POST /subscribe${RECEIVER}`, "public", receiveEvents(deps)),
  route(
    `POST /subscribe${RECEIVER}/installations/{installationId}`,
    "public",
    receiveEventsOfInstallation(deps),
  ),
  route(`POST /subscribe${PROVIDER}`, "public", receiveEventsOfProvider(deps)),
  route(`GET ${INTEGRATION}/subscribe-setup`, "full", getSubscribeSetup(deps)),
  route(`GET ${INSTALLATION}/subscriptions`, "frontend", listSubscriptions(deps)),
  route(`GET ${INSTALLATION}/subscription-events`, "frontend", listSubscriptionEvents(deps)),
  route(`GET ${INSTALLATION}/records/{objectName}/{recordId}`, "frontend", getRecordTrace(deps)),
  route(`POST ${INSTALLATION}/subscriptions:test`, "frontend", testSubscription(deps)),
  route(`POST ${INSTALLATION}/subscriptions:reconcile`, "frontend", reconcileSubscriptions(deps)),
];
