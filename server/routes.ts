/** Lists the resources of the API, and the endpoints of actions, each with its address and who may call it. */
import type { CustomerShards } from "./operations/customer-shards.ts";
import { listActivityRoutes } from "./api/activity/activity.ts";
import { listAgentPolicyRoutes } from "./api/agent-policy/agent-policy.ts";
import { listApiKeyRoutes } from "./api/api-keys/api-keys.ts";
import { listApprovalRoutes } from "./api/approvals/approvals.ts";
import { listAuditRoutes } from "./api/audit/audit.ts";
import { listBillingRoutes } from "./api/billing/billing.ts";
import { listConnectionRoutes } from "./api/connections/connections.ts";
import { listCustomerRoutes } from "./api/customers/customers.ts";
import { listDeliveryRoutes } from "./api/deliveries/deliveries.ts";
import { listDestinationRoutes } from "./api/destinations/destinations.ts";
import { listDocsRoutes } from "./api/docs/docs.ts";
import { guideRoutes } from "./api/docs/guide.ts";
import { listEventFileRoutes } from "./api/event-files/event-files.ts";
import { listEventRoutes } from "./api/events/events.ts";
import { findRoutes } from "./api/find/find.ts";
import { listHealthRoutes } from "./api/health/health.ts";
import { listInstallationRoutes } from "./api/installations/installations.ts";
import { listIntegrationRoutes } from "./api/integrations/integrations.ts";
import { listJwtKeyRoutes } from "./api/jwt-keys/jwt-keys.ts";
import { listCustomAuthRoutes } from "./api/oauth/custom-auth.ts";
import { listOauthRoutes } from "./api/oauth/oauth.ts";
import { listObjectRoutes } from "./api/objects/objects.ts";
import { listOperationRoutes } from "./api/operations/operations.ts";
import { listClaimedDomainRoutes } from "./api/orgs/claimed-domains.ts";
import { listMembershipRoutes } from "./api/orgs/memberships.ts";
import { inviteRoutes } from "./api/orgs/org-invites.ts";
import { listOrgRoutes } from "./api/orgs/orgs.ts";
import { listPersonRoutes } from "./api/people/people.ts";
import { listProjectRoutes } from "./api/projects/projects.ts";
import { listProviderAppRoutes } from "./api/provider-apps/provider-apps.ts";
import { listProviderRoutes } from "./api/providers/providers.ts";
import { listProxyCallRoutes } from "./api/proxy-calls/proxy-calls.ts";
import { recordRoutes } from "./api/records/records.ts";
import { requestRoutes } from "./api/requests/requests.ts";
import { listRetentionRoutes } from "./api/retention/retention.ts";
import { listSessionRoutes } from "./api/sessions/sessions.ts";
import { listSubscriptionRoutes } from "./api/subscriptions/subscriptions.ts";
import { listSystemRoutes } from "./api/system/system.ts";
import { listTopicRouteRoutes } from "./api/topic-routes/topic-routes.ts";
import { listTopicRoutes } from "./api/topics/topics.ts";
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
  listActivityRoutes,
  listAgentPolicyRoutes,
  listApiKeyRoutes,
  listApprovalRoutes,
  listAuditRoutes,
  listBillingRoutes,
  listClaimedDomainRoutes,
  listConnectionRoutes,
  listCustomAuthRoutes,
  listCustomerRoutes,
  listDeliveryRoutes,
  listDestinationRoutes,
  listDocsRoutes,
  listEventFileRoutes,
  listEventRoutes,
  findRoutes,
  guideRoutes,
  listHealthRoutes,
  listInstallationRoutes,
  listIntegrationRoutes,
  inviteRoutes,
  listJwtKeyRoutes,
  listMembershipRoutes,
  listOauthRoutes,
  listObjectRoutes,
  listOperationRoutes,
  listOrgRoutes,
  listPersonRoutes,
  listProjectRoutes,
  listProviderAppRoutes,
  listProviderRoutes,
  listProxyCallRoutes,
  recordRoutes,
  requestRoutes,
  listRetentionRoutes,
  listSessionRoutes,
  listSubscriptionRoutes,
  listSystemRoutes,
  listTopicRouteRoutes,
  listTopicRoutes,
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
export const listRoutes = (deps: RouteServices): Route[] => [
  ...RESOURCES.flatMap((resource) => resource(deps)),
  ...listActionRoutes(deps),
];

const RECEIVER = `/subscribe${PROJECT}/integrations/{integrationIdOrName}`;

/** Returns what applications and providers send: writes, reads, searches and events. */
const listActionRoutes = (deps: Actions): Route[] => [
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
