/** Lists the resources of the API, and the endpoints of actions, each with its address and who may call it. */
import type { CustomerShards } from "./operations/customer-shards.ts";
import { activityRoutes } from "./api/activity/activity.ts";
import { agentPolicyRoutes } from "./api/agent-policy/agent-policy.ts";
import { apiKeyRoutes } from "./api/api-keys/api-keys.ts";
import { approvalRoutes } from "./api/approvals/approvals.ts";
import { auditRoutes } from "./api/audit/audit.ts";
import { billingRoutes } from "./api/billing/billing.ts";
import { connectionRoutes } from "./api/connections/connections.ts";
import { customerRoutes } from "./api/customers/customers.ts";
import { deliveryRoutes } from "./api/deliveries/deliveries.ts";
import { destinationRoutes } from "./api/destinations/destinations.ts";
import { docsRoutes } from "./api/docs/docs.ts";
import { guideRoutes } from "./api/docs/guide.ts";
import { eventFileRoutes } from "./api/event-files/event-files.ts";
import { eventRoutes } from "./api/events/events.ts";
import { findRoutes } from "./api/find/find.ts";
import { healthRoutes } from "./api/health/health.ts";
import { installationRoutes } from "./api/installations/installations.ts";
import { integrationRoutes } from "./api/integrations/integrations.ts";
import { jwtKeyRoutes } from "./api/jwt-keys/jwt-keys.ts";
import { customAuthRoutes } from "./api/oauth/custom-auth.ts";
import { oauthRoutes } from "./api/oauth/oauth.ts";
import { objectRoutes } from "./api/objects/objects.ts";
import { operationRoutes } from "./api/operations/operations.ts";
import { claimedDomainRoutes } from "./api/orgs/claimed-domains.ts";
import { membershipRoutes } from "./api/orgs/memberships.ts";
import { inviteRoutes } from "./api/orgs/org-invites.ts";
import { orgRoutes } from "./api/orgs/orgs.ts";
import { personRoutes } from "./api/people/people.ts";
import { projectRoutes } from "./api/projects/projects.ts";
import { providerAppRoutes } from "./api/provider-apps/provider-apps.ts";
import { providerRoutes } from "./api/providers/providers.ts";
import { proxyCallRoutes } from "./api/proxy-calls/proxy-calls.ts";
import { recordRoutes } from "./api/records/records.ts";
import { requestRoutes } from "./api/requests/requests.ts";
import { retentionRoutes } from "./api/retention/retention.ts";
import { sessionRoutes } from "./api/sessions/sessions.ts";
import { subscriptionRoutes } from "./api/subscriptions/subscriptions.ts";
import { systemRoutes } from "./api/system/system.ts";
import { topicRouteRoutes } from "./api/topic-routes/topic-routes.ts";
import { topicRoutes } from "./api/topics/topics.ts";
import { uploadRoutes } from "./api/uploads/uploads.ts";
import { INSTALLATION, INTEGRATION, PROJECT, PROVIDER } from "./api/paths.ts";
import { route, type Route } from "./http/endpoint.ts";
import { deliverResults } from "./read/requests/deliver-results.ts";
import { pauseReads, unpauseReads, type PauseServices } from "./read/requests/pause-reads.ts";
import { searchRecords, type SearchServices } from "./read/requests/search-records.ts";
import { triggerRead, type TriggerReadServices } from "./read/requests/trigger-read.ts";
import {
  receiveEvents,
  receiveEventsOfInstallation,
  receiveEventsOfProvider,
} from "./subscribe/receive/receive-events.ts";
import type { ReceiveServices } from "./subscribe/receive/store-push.ts";
import { writeRecords, type WriteServices } from "./write/write-records.ts";

/** The resources of the API; each lists its routes beside its endpoints. Actions are listed below. */
const RESOURCES = [
  activityRoutes,
  agentPolicyRoutes,
  apiKeyRoutes,
  approvalRoutes,
  auditRoutes,
  billingRoutes,
  claimedDomainRoutes,
  connectionRoutes,
  customAuthRoutes,
  customerRoutes,
  deliveryRoutes,
  destinationRoutes,
  docsRoutes,
  eventFileRoutes,
  eventRoutes,
  findRoutes,
  guideRoutes,
  healthRoutes,
  installationRoutes,
  integrationRoutes,
  inviteRoutes,
  jwtKeyRoutes,
  membershipRoutes,
  oauthRoutes,
  objectRoutes,
  operationRoutes,
  orgRoutes,
  personRoutes,
  projectRoutes,
  providerAppRoutes,
  providerRoutes,
  proxyCallRoutes,
  recordRoutes,
  requestRoutes,
  retentionRoutes,
  sessionRoutes,
  subscriptionRoutes,
  systemRoutes,
  topicRouteRoutes,
  topicRoutes,
  uploadRoutes,
];

/** Services of the shard that the customer is in. */
type CustomerActions = WriteServices & TriggerReadServices & SearchServices & PauseServices;

type Actions = { shards: CustomerShards<CustomerActions> } & ReceiveServices;

/** All services that endpoints need; each resource names its own. */
export type RouteServices = Actions & Needed<(typeof RESOURCES)[number]>;

/** What every function of a union takes. */
type Needed<Functions> = (
  Functions extends (deps: infer Deps) => Route[] ? (deps: Deps) => void : never
) extends (deps: infer All) => void
  ? All
  : never;

/** Returns all endpoints with their handlers. Describing the API needs no services. */
export const routes = (deps: RouteServices): Route[] => [
  ...RESOURCES.flatMap((resource) => resource(deps)),
  ...actionRoutes(deps),
];

const RECEIVER = `/subscribe${PROJECT}/integrations/{integrationIdOrName}`;

/** What applications and providers send: writes, reads, searches and events. */
const actionRoutes = (deps: Actions): Route[] => [
  route(`POST /write${INTEGRATION}/objects/{objectName}`, "write", writeRecords(deps)),
  route(`POST /read${INTEGRATION}/objects/{objectName}`, "read", triggerRead(deps)),
  route(`POST /read${INTEGRATION}/objects/{objectName}:deliverResults`, "read", deliverResults(deps)),
  route(`POST /read${INSTALLATION}:pause`, "read", pauseReads(deps)),
  route(`POST /read${INSTALLATION}:unpause`, "read", unpauseReads(deps)),
  route(`POST /search${INTEGRATION}`, "read", searchRecords(deps)),
  route(`POST ${RECEIVER}`, "public", receiveEvents(deps)),
  route(`POST ${RECEIVER}/installations/{installationId}`, "public", receiveEventsOfInstallation(deps)),
  route(`POST /subscribe${PROVIDER}`, "public", receiveEventsOfProvider(deps)),
];
