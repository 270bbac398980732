/** Lists every endpoint with its address and who may call it. */
import { getActivity } from "./api/activity/get-activity.ts";
import { getAgentPolicy, putAgentPolicy } from "./api/agent-policy/agent-policy.ts";
import { createConsumer } from "./api/customers/create-consumer.ts";
import { createGroup } from "./api/customers/create-group.ts";
import { deleteGroup } from "./api/customers/delete-group.ts";
import { getGroup } from "./api/customers/get-group.ts";
import { listGroups } from "./api/customers/list-groups.ts";
import { createApiKey } from "./api/api-keys/create-api-key.ts";
import { deleteApiKey } from "./api/api-keys/delete-api-key.ts";
import { getApiKey } from "./api/api-keys/get-api-key.ts";
import { listApiKeys } from "./api/api-keys/list-api-keys.ts";
import { updateApiKey } from "./api/api-keys/update-api-key.ts";
import { createBillingAccountSession, getOrgBillingAccount } from "./api/billing/billing.ts";
import { checkConnection } from "./api/connections/check-connection.ts";
import { deleteConnection } from "./api/connections/delete-connection.ts";
import { generateConnection } from "./api/connections/generate-connection.ts";
import { getConnection } from "./api/connections/get-connection.ts";
import { listConnections } from "./api/connections/list-connections.ts";
import { listProjectConnections } from "./api/connections/list-project-connections.ts";
import { updateConnection } from "./api/connections/update-connection.ts";
import { getDelivery } from "./api/deliveries/get-delivery.ts";
import { listDeliveries } from "./api/deliveries/list-deliveries.ts";
import { listProjectDeliveries } from "./api/deliveries/list-project-deliveries.ts";
import { listWaitingDeliveries } from "./api/deliveries/list-waiting-deliveries.ts";
import { resendDeliveries } from "./api/deliveries/resend-deliveries.ts";
import { resendDelivery } from "./api/deliveries/resend-delivery.ts";
import { createDestination } from "./api/destinations/create-destination.ts";
import { deleteDestination } from "./api/destinations/delete-destination.ts";
import { getDestination } from "./api/destinations/get-destination.ts";
import { listDestinationTypes } from "./api/destinations/list-destination-types.ts";
import { listDestinations } from "./api/destinations/list-destinations.ts";
import { rotateDestination } from "./api/destinations/rotate-destination.ts";
import { testDestination } from "./api/destinations/test-destination.ts";
import { updateDestination } from "./api/destinations/update-destination.ts";
import { getDocs } from "./api/docs/get-docs.ts";
import { getDocsReader } from "./api/docs/get-docs-reader.ts";
import { getOpenApi } from "./api/docs/get-open-api.ts";
import { getProblemType } from "./api/docs/get-problem-type.ts";
import { guideRoutes } from "./api/docs/guide.ts";
import { getProblemTypes } from "./api/docs/get-problem-types.ts";
import { getStart } from "./api/docs/get-start.ts";
import { getEventFile } from "./api/event-files/get-event-file.ts";
import { createEventTopicRoute } from "./api/event-topic-routes/create-event-topic-route.ts";
import { deleteEventTopicRoute } from "./api/event-topic-routes/delete-event-topic-route.ts";
import { listEventTopicRoutes } from "./api/event-topic-routes/list-event-topic-routes.ts";
import { getEvent } from "./api/events/get-event.ts";
import { listEventTypes } from "./api/events/list-event-types.ts";
import { listEvents } from "./api/events/list-events.ts";
import { find } from "./api/find/find.ts";
import { getHealthz } from "./api/health/get-healthz.ts";
import { getReadyz, type Readiness } from "./api/health/get-readyz.ts";
import { createInstallation } from "./api/installations/create-installation.ts";
import { deleteInstallation } from "./api/installations/delete-installation.ts";
import { getInstallation } from "./api/installations/get-installation.ts";
import { listInstallations } from "./api/installations/list-installations.ts";
import { patchObjectConfigContent } from "./api/installations/patch-object-config-content.ts";
import { updateInstallation } from "./api/installations/update-installation.ts";
import { listProjectInstallations } from "./api/installations/list-project-installations.ts";
import { listInstallationsForProject } from "./api/installations/list-installations-for-project.ts";
import { batchUpsertIntegrations } from "./api/integrations/batch-upsert-integrations.ts";
import { createIntegration } from "./api/integrations/create-integration.ts";
import { createRevision } from "./api/integrations/create-revision.ts";
import { deleteIntegration } from "./api/integrations/delete-integration.ts";
import { getHydratedRevision } from "./api/integrations/get-hydrated-revision.ts";
import { getIntegration } from "./api/integrations/get-integration.ts";
import { getRevision } from "./api/integrations/get-revision.ts";
import { listIntegrations } from "./api/integrations/list-integrations.ts";
import { listRevisions } from "./api/integrations/list-revisions.ts";
import { getBackfillProgress } from "./api/operations/get-backfill-progress.ts";
import { cancelOperation } from "./api/operations/cancel-operation.ts";
import { getOperation } from "./api/operations/get-operation.ts";
import { createJWTKey } from "./api/jwt-keys/create-jwt-key.ts";
import { deleteJWTKey } from "./api/jwt-keys/delete-jwt-key.ts";
import { getJWTKey } from "./api/jwt-keys/get-jwt-key.ts";
import { listJWTKeys } from "./api/jwt-keys/list-jwt-keys.ts";
import { updateJWTKey } from "./api/jwt-keys/update-jwt-key.ts";
import { getObjectMetadataForConnection } from "./api/objects/get-object-metadata-for-connection.ts";
import { getObjectMetadataForInstallation } from "./api/objects/get-object-metadata-for-installation.ts";
import { upsertMetadataForConnection } from "./api/objects/upsert-metadata-for-connection.ts";
import { upsertMetadataForInstallation } from "./api/objects/upsert-metadata-for-installation.ts";
import { customAuthBegin } from "./api/oauth/custom-auth-begin.ts";
import { customAuthContinue } from "./api/oauth/custom-auth-continue.ts";
import { customAuthCallback } from "./api/oauth/custom-auth-callback.ts";
import { customAuthFormCallback } from "./api/oauth/custom-auth-form-callback.ts";
import { customAuthConnect } from "./api/oauth/custom-auth-connect.ts";
import { oauthBegin } from "./api/oauth/oauth-begin.ts";
import { oauthCallback } from "./api/oauth/oauth-callback.ts";
import { oauthConnect } from "./api/oauth/oauth-connect.ts";
import { listConsents } from "./api/oauth/list-consents.ts";
import { oauthContinue } from "./api/oauth/oauth-continue.ts";
import { oauthRetry } from "./api/oauth/oauth-retry.ts";
import { oauthUpdate } from "./api/oauth/oauth-update.ts";
import { listOperationLogs } from "./api/operations/list-operation-logs.ts";
import { listOperations } from "./api/operations/list-operations.ts";
import { listProjectOperations } from "./api/operations/list-project-operations.ts";
import { callThroughProxy } from "./api/proxy-calls/call-through-proxy.ts";
import { listProjectProxyCalls } from "./api/proxy-calls/list-project-proxy-calls.ts";
import { listProxyCalls } from "./api/proxy-calls/list-proxy-calls.ts";
import { createOrg } from "./api/orgs/create-org.ts";
import { getOrg } from "./api/orgs/get-org.ts";
import { listOrgBuilders } from "./api/orgs/list-org-builders.ts";
import { updateOrg } from "./api/orgs/update-org.ts";
import { checkClaimedDomain } from "./api/orgs/check-claimed-domain.ts";
import { claimDomain } from "./api/orgs/claim-domain.ts";
import { listOrgClaimedDomains } from "./api/orgs/list-org-claimed-domains.ts";
import { unclaimDomain } from "./api/orgs/unclaim-domain.ts";
import { addUserToOrg } from "./api/orgs/add-user-to-org.ts";
import { deleteMembership } from "./api/orgs/delete-membership.ts";
import { updateMembership } from "./api/orgs/update-membership.ts";
import { createOrgInvite } from "./api/orgs/create-org-invite.ts";
import { deleteOrgInvite } from "./api/orgs/delete-org-invite.ts";
import { getOrgInvite } from "./api/orgs/get-org-invite.ts";
import { listOrgInvites } from "./api/orgs/list-org-invites.ts";
import { acceptInvite } from "./api/people/accept-invite.ts";
import { getMyInfo } from "./api/people/get-my-info.ts";
import { createProject } from "./api/projects/create-project.ts";
import { deleteProject } from "./api/projects/delete-project.ts";
import { updateProject } from "./api/projects/update-project.ts";
import { getProject } from "./api/projects/get-project.ts";
import { listProjects } from "./api/projects/list-projects.ts";
import { getRetention } from "./api/retention/get-retention.ts";
import { putRetention } from "./api/retention/put-retention.ts";
import { deleteOtherSessions } from "./api/sessions/delete-other-sessions.ts";
import { getSession } from "./api/sessions/get-session.ts";
import { listSessions } from "./api/sessions/list-sessions.ts";
import { listSignInWays } from "./api/sessions/list-sign-in-ways.ts";
import { listRequests } from "./api/requests/list-requests.ts";
import { beginSignIn } from "./api/sessions/begin-sign-in.ts";
import { finishSignIn } from "./api/sessions/finish-sign-in.ts";
import { listAuditEvents } from "./api/audit/list-audit-events.ts";
import { createSession } from "./api/sessions/create-session.ts";
import { deleteSession } from "./api/sessions/delete-session.ts";
import { getSystem, type SystemServices } from "./api/system/get-system.ts";
import { createTopicDestinationRoute } from "./api/topic-destination-routes/create-topic-destination-route.ts";
import { deleteTopicDestinationRoute } from "./api/topic-destination-routes/delete-topic-destination-route.ts";
import { listTopicDestinationRoutes } from "./api/topic-destination-routes/list-topic-destination-routes.ts";
import { createTopic } from "./api/topics/create-topic.ts";
import { deleteTopic } from "./api/topics/delete-topic.ts";
import { getTopic } from "./api/topics/get-topic.ts";
import { listTopics } from "./api/topics/list-topics.ts";
import { updateTopic } from "./api/topics/update-topic.ts";
import { generateUploadUrl } from "./api/uploads/generate-upload-url.ts";
import { putUpload } from "./api/uploads/put-upload.ts";
import type { IssuerSignIn } from "./access/issuer-sign-in.ts";
import type { SignInSessions } from "./access/sign-in-sessions.ts";
import type { RefreshServices } from "./credentials/refresh/refresh-tokens.ts";
import type { TestServices } from "./deliver/test-delivery.ts";
import type { RetentionConfig } from "../ground/retention-bounds.ts";
import { route, type Page, type Route } from "./http/endpoint.ts";
import { providerRoutes, type ProviderRouteServices } from "./provider-routes.ts";
import type { ProxyCaller } from "./proxy/proxy-caller.ts";
import { deliverResults } from "./read/deliver-results.ts";
import { pauseReads, unpauseReads } from "./read/pause-reads.ts";
import { searchRecords } from "./read/search-records.ts";
import { triggerRead, type TriggerReadServices } from "./read/trigger-read.ts";
import { subscribeRoutes, type SubscribeRouteServices } from "./subscribe-routes.ts";
import { writeRecords, type WriteServices } from "./write/write-records.ts";

/** All services that endpoints need; each endpoint names its own. */
export type RouteServices = RefreshServices &
  ProviderRouteServices &
  WriteServices &
  TriggerReadServices &
  Readiness &
  TestServices &
  SubscribeRouteServices & {
    publicUrl: () => string;
    dashboardPage?: () => Page;
    sessions: SignInSessions;
    issuerSignIn?: IssuerSignIn;
    proxyCaller: ProxyCaller;
    urls: SystemServices["urls"];
    startTime: Date;
    config: RetentionConfig &
      SystemServices["config"] & { dataDir: string; projectDestinations: number; bootstrapApiKey?: string };
  };

const P = "/v1/projects/{projectIdOrName}";
const PROVIDER = `${P}/providers/{provider}`;
const INTEGRATION = `${P}/integrations/{integrationId}`;
const INSTALLATION = `${INTEGRATION}/installations/{installationId}`;

const DESTINATION = `${P}/destinations/{destination}`;

/** Returns all endpoints with their handlers. Describing the API needs no services. */
export function routes(deps: RouteServices): Route[] {
  return [
    ...peopleRoutes(deps),
    ...managementRoutes(deps),
    ...deliveryRoutes(deps),
    ...accountRoutes(deps),
    ...dataRoutes(deps),
    ...providerRoutes(deps),
    ...subscribeRoutes(deps),
    route("GET /callbacks/v1/oauth", "public", oauthCallback(deps)),
    route("GET /callbacks/v1/oauth/begin", "public", oauthBegin(deps)),
    route("POST /callbacks/v1/oauth/begin", "public", oauthContinue(deps)),
    route("POST /callbacks/v1/oauth/retry", "public", oauthRetry(deps)),
    route("GET /callbacks/v1/custom-auth/begin", "public", customAuthBegin(deps)),
    route("POST /callbacks/v1/custom-auth/begin", "public", customAuthContinue(deps)),
    route("GET /callbacks/v1/custom-auth", "public", customAuthCallback(deps)),
    route("POST /callbacks/v1/custom-auth", "public", customAuthFormCallback(deps)),
    route("GET /callbacks/v1/sign-in/begin", "public", beginSignIn(deps)),
    route("GET /callbacks/v1/sign-in", "public", finishSignIn(deps)),
    route("GET /healthz", "public", getHealthz()),
    route("GET /readyz", "public", getReadyz(deps)),
    route("GET /openapi.json", "public", getOpenApi()),
    route("GET /", "public", getStart(deps)),
    route("GET /docs", "public", getDocs()),
    route("GET /docs/reader.js", "public", getDocsReader()),
    route("GET /docs/problems", "public", getProblemTypes()),
    route("GET /docs/problems/{slug}", "public", getProblemType()),
    ...guideRoutes(),
  ];
}

function dataRoutes(deps: RouteServices): Route[] {
  return [
    route(`POST /write${INTEGRATION}/objects/{objectName}`, "write", writeRecords(deps)),
    route("GET /write/v1/generate-upload-url", "write", generateUploadUrl(deps, "generateUploadUrlForWrite")),
    route(`POST /read${INTEGRATION}/objects/{objectName}`, "read", triggerRead(deps)),
    route(`POST /read${INTEGRATION}/objects/{objectName}:deliverResults`, "read", deliverResults(deps)),
    route(`POST /read${INSTALLATION}:pause`, "read", pauseReads(deps)),
    route(`POST /read${INSTALLATION}:unpause`, "read", unpauseReads(deps)),
    route("GET /read/v1/generate-upload-url", "read", generateUploadUrl(deps, "generateUploadUrlForRead")),
    route(`POST /search${INTEGRATION}`, "read", searchRecords(deps)),
  ];
}

const peopleRoutes = (deps: RouteServices): Route[] => [
  route("POST /v1/orgs", "full", createOrg(deps)),
  route("GET /v1/orgs/{orgId}", "full", getOrg(deps)),
  route("PATCH /v1/orgs/{orgId}", "full", updateOrg(deps)),
  route("GET /v1/orgs/{orgId}/builders", "full", listOrgBuilders(deps)),
  route("POST /v1/orgs/{orgId}/invites", "person", createOrgInvite(deps)),
  route("GET /v1/orgs/{orgId}/audit-events", "full", listAuditEvents(deps)),
  route("GET /v1/orgs/{orgId}/invites", "person", listOrgInvites(deps)),
  route("GET /v1/orgs/{orgId}/invites/{inviteId}", "person", getOrgInvite(deps)),
  route("DELETE /v1/orgs/{orgId}/invites/{inviteId}", "person", deleteOrgInvite(deps)),
  route("POST /v1/orgs/{orgId}/memberships", "person", addUserToOrg(deps)),
  route("PATCH /v1/orgs/{orgId}/memberships/{builderId}", "person", updateMembership(deps)),
  route("DELETE /v1/orgs/{orgId}/memberships/{builderId}", "person", deleteMembership(deps)),
  route("GET /v1/orgs/{orgId}/claimed-domains", "person", listOrgClaimedDomains(deps)),
  route("DELETE /v1/orgs/{orgId}/claimed-domains/{domain}", "person", unclaimDomain(deps)),
  route("GET /v1/claimed-domains", "person", checkClaimedDomain(deps)),
  route("POST /v1/claimed-domains", "person", claimDomain(deps)),
  route("GET /v1/orgs/{orgId}/billingAccount", "full", getOrgBillingAccount(deps)),
  route("POST /v1/billingAccounts/{billingAccountId}/portalSession", "full", createBillingAccountSession()),
  route("POST /v1/sessions", "public", createSession(deps)),
  route("GET /v1/sessions", "person", listSessions(deps)),
  route("GET /v1/sessions/current", "public", getSession(deps)),
  route("DELETE /v1/sessions/others", "person", deleteOtherSessions(deps)),
  route("DELETE /v1/sessions/{sessionId}", "person", deleteSession(deps)),
  route("GET /v1/sign-in-ways", "public", listSignInWays(deps)),
  route("GET /v1/my-info", "person", getMyInfo(deps)),
  route("POST /v1/invites:accept", "person", acceptInvite(deps)),
];

const managementRoutes = (deps: RouteServices): Route[] => [
  route("GET /v1/system", "full", getSystem(deps)),

  route("GET /v1/projects", "frontend", listProjects(deps)),
  route("POST /v1/projects", "full", createProject(deps)),
  route(`GET ${P}`, "frontend", getProject(deps)),
  route(`PATCH ${P}`, "full", updateProject(deps)),
  route(`DELETE ${P}`, "full", deleteProject(deps)),
  route(`GET ${P}/retention`, "full", getRetention(deps)),
  route(`PUT ${P}/retention`, "full", putRetention(deps)),
  route(`GET ${P}/agent-policy`, "full", getAgentPolicy(deps)),
  route(`PUT ${P}/agent-policy`, "full", putAgentPolicy(deps)),

  route("GET /v1/destination-types", "public", listDestinationTypes()),
  route("GET /v1/event-types", "public", listEventTypes()),

  route(`GET ${P}/api-keys`, "full", listApiKeys(deps)),
  route(`POST ${P}/api-keys`, "organization", createApiKey(deps)),
  route(`GET ${P}/api-keys/{apiKey}`, "full", getApiKey(deps)),
  route(`PATCH ${P}/api-keys/{apiKey}`, "full", updateApiKey(deps)),
  route(`DELETE ${P}/api-keys/{apiKey}`, "full", deleteApiKey(deps)),

  route(`GET ${P}/jwt-keys`, "full", listJWTKeys(deps)),
  route(`POST ${P}/jwt-keys`, "full", createJWTKey(deps)),
  route(`GET ${P}/jwt-keys/{keyId}`, "full", getJWTKey(deps)),
  route(`PATCH ${P}/jwt-keys/{keyId}`, "full", updateJWTKey(deps)),
  route(`DELETE ${P}/jwt-keys/{keyId}`, "full", deleteJWTKey(deps)),

  route("GET /v1/generate-upload-url", "full", generateUploadUrl(deps)),
  route("PUT /v1/uploads/{uploadId}", "public", putUpload(deps)),

  route(`GET ${P}/integrations`, "frontend", listIntegrations(deps)),
  route(`POST ${P}/integrations`, "full", createIntegration(deps)),
  route(`PUT ${P}/integrations:batch`, "full", batchUpsertIntegrations(deps)),
  route(`GET ${P}/integrations/{integrationIdOrName}`, "frontend", getIntegration(deps)),
  route(`DELETE ${P}/integrations/{integrationIdOrName}`, "full", deleteIntegration(deps)),
  route(`POST ${INTEGRATION}/revisions`, "full", createRevision(deps)),
  route(`GET ${INTEGRATION}/revisions`, "full", listRevisions(deps)),
  route(`GET ${INTEGRATION}/revisions/{revisionId}`, "full", getRevision(deps)),

  route("POST /v1/custom-auth/connect", "frontend", customAuthConnect(deps)),
  route("POST /v1/oauth-connect", "frontend", oauthConnect(deps)),
  route(`PATCH ${P}/connections/{connectionId}:oauth-update`, "frontend", oauthUpdate(deps)),
  route(`GET ${P}/consents`, "full", listConsents(deps)),
  route(`GET ${P}/connections`, "frontend", listConnections(deps)),
  route(`GET ${P}/connections:search`, "full", listProjectConnections(deps)),
  route(`POST ${P}/connections:generate`, "frontend", generateConnection(deps)),
  route(`GET ${P}/connections/{connectionId}`, "frontend", getConnection(deps)),
  route(`PATCH ${P}/connections/{connectionId}`, "frontend", updateConnection(deps)),
  route(`DELETE ${P}/connections/{connectionId}`, "frontend", deleteConnection(deps)),

  route(`POST ${P}/connections/{connectionId}:check`, "full", checkConnection(deps)),

  route(`GET ${P}/groups`, "full", listGroups(deps)),
  route(`GET ${P}/groups/{groupRef}`, "full", getGroup(deps)),
  route(`POST ${P}/groups`, "full", createGroup(deps)),
  route(`DELETE ${P}/groups/{groupRef}`, "full", deleteGroup(deps)),
  route(`POST ${P}/consumers`, "full", createConsumer(deps)),

  route(`GET ${P}/installations`, "full", listInstallationsForProject(deps)),
  route(`GET ${P}/installations:search`, "full", listProjectInstallations(deps)),

  route(`GET ${INSTALLATION}/operations`, "full", listOperations(deps)),
  route(`GET ${INSTALLATION}/objects/{objectName}/backfill-progress`, "full", getBackfillProgress(deps)),
  route(`GET ${P}/operations`, "full", listProjectOperations(deps)),
  route(`GET ${P}/operations/{operationId}`, "full", getOperation(deps)),
  route(`POST ${P}/operations/{operationId}:cancel`, "full", cancelOperation(deps)),
  route(`GET ${P}/operations/{operationId}/logs`, "full", listOperationLogs(deps)),
  route(`GET ${INSTALLATION}/proxy-calls`, "full", listProxyCalls(deps)),
  route(`GET ${P}/proxy-calls`, "full", listProjectProxyCalls(deps)),
  route(`GET ${P}/activity`, "full", getActivity(deps)),
  route(`GET ${P}/requests`, "full", listRequests(deps)),
  route(`POST ${INSTALLATION}:call`, "full", callThroughProxy(deps)),
];

/** Endpoints about customers' installations and accounts. */
function accountRoutes(deps: RouteServices): Route[] {
  const metadata = "objects/{objectName}/metadata";
  return [
    route(`GET ${INTEGRATION}/installations`, "frontend", listInstallations(deps)),
    route(`POST ${INTEGRATION}/installations`, "frontend", createInstallation(deps)),
    route(`GET ${INSTALLATION}`, "frontend", getInstallation(deps)),
    route(`PATCH ${INSTALLATION}`, "frontend", updateInstallation(deps)),
    route(`DELETE ${INSTALLATION}`, "frontend", deleteInstallation(deps)),
    route(
      `PATCH ${INTEGRATION}/objects/{objectName}/config-content`,
      "frontend",
      patchObjectConfigContent(deps),
    ),
    route(`GET ${INTEGRATION}/revisions/{revisionId}:hydrate`, "frontend", getHydratedRevision(deps)),
    route(`GET ${PROVIDER}/${metadata}`, "frontend", getObjectMetadataForConnection(deps)),
    route(`GET ${INTEGRATION}/${metadata}`, "frontend", getObjectMetadataForInstallation(deps)),
    route(`PUT ${PROVIDER}/object-metadata`, "frontend", upsertMetadataForConnection(deps)),
    route(`PUT ${INTEGRATION}/object-metadata`, "frontend", upsertMetadataForInstallation(deps)),
  ];
}

const deliveryRoutes = (deps: RouteServices): Route[] => [
  route(`GET ${P}/destinations`, "full", listDestinations(deps)),
  route(`POST ${P}/destinations`, "full", createDestination(deps)),
  route(`GET ${DESTINATION}`, "full", getDestination(deps)),
  route(`PATCH ${DESTINATION}`, "full", updateDestination(deps)),
  route(`DELETE ${DESTINATION}`, "full", deleteDestination(deps)),
  route(`POST ${DESTINATION}:test`, "full", testDestination(deps)),
  route(`POST ${DESTINATION}:rotate`, "full", rotateDestination(deps)),

  route(`GET ${P}/topics`, "full", listTopics(deps)),
  route(`POST ${P}/topics`, "full", createTopic(deps)),
  route(`GET ${P}/topics/{topicId}`, "full", getTopic(deps)),
  route(`PATCH ${P}/topics/{topicId}`, "full", updateTopic(deps)),
  route(`DELETE ${P}/topics/{topicId}`, "full", deleteTopic(deps)),
  route(`GET ${P}/notification-event-topic-routes`, "full", listEventTopicRoutes(deps)),
  route(`POST ${P}/notification-event-topic-routes`, "full", createEventTopicRoute(deps)),
  route(`DELETE ${P}/notification-event-topic-routes/{routeId}`, "full", deleteEventTopicRoute(deps)),
  route(`GET ${P}/topic-destination-routes`, "full", listTopicDestinationRoutes(deps)),
  route(`POST ${P}/topic-destination-routes`, "full", createTopicDestinationRoute(deps)),
  route(`DELETE ${P}/topic-destination-routes/{routeId}`, "full", deleteTopicDestinationRoute(deps)),

  route(`GET ${P}/deliveries`, "full", listWaitingDeliveries(deps)),
  route(`GET ${P}/find`, "full", find(deps)),
  route(`GET ${P}/events`, "full", listEvents(deps)),
  route(`GET ${P}/events/{eventId}`, "full", getEvent(deps)),
  route(`GET ${P}/deliveries:search`, "full", listProjectDeliveries(deps)),
  route(`GET ${DESTINATION}/deliveries`, "full", listDeliveries(deps)),
  route(`POST ${DESTINATION}/deliveries:resend`, "full", resendDeliveries(deps)),
  route(`GET ${DESTINATION}/deliveries/{deliveryId}`, "full", getDelivery(deps)),
  route(`POST ${DESTINATION}/deliveries/{deliveryId}:resend`, "full", resendDelivery(deps)),
  route("GET /v1/event-files/{token}", "public", getEventFile(deps)),
];
