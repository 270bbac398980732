/** The stations of a walk through every operation, in an order in which each finds what it needs. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { zipSync } from "fflate";
import { eventFileUrl } from "../../../server/deliver/event-files.ts";
import type { Sink } from "../../harness/deliveries/sink.ts";
import { Sealer } from "../../../server/ground/seal.ts";
import type { TestBusbar } from "../../harness/busbar.ts";
import type { TestIssuer } from "../../harness/issuer.ts";
import { until } from "../../harness/until.ts";
import type { Walk } from "./walk.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm
    displayName: Your CRM
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields:
            - fieldName: email
            - fieldName: firstname
              mapToName: givenName
          optionalFields:
            - fieldName: phone
    write:
      objects:
        - objectName: contacts
          inheritMapping: true
    proxy:
      enabled: true
`;

/** What the stations stand on. */
export interface Ground {
  walk: Walk;
  sink: Sink;
  issuer: TestIssuer;
  /** A Busbar whose people sign in with keys. */
  withoutIssuer: TestBusbar;
}

/** Sign-in, organisations, projects and keys. */
export async function access({ walk, issuer, withoutIssuer }: Ground): Promise<void> {
  const { on, call } = walk;
  const orgId = on.busbar.bootstrap?.orgId ?? "";
  const path = { orgId };
  const ada = await issuer.sign({ sub: "ada", email: "ada@acme.example", name: "Ada Lovelace" });
  const bob = await issuer.sign({ sub: "bob", email: "bob@elsewhere.example", name: "Bob" });

  const session = await call("createSession", { on: withoutIssuer, body: { apiKey: withoutIssuer.apiKey } });
  const headers = { "x-api-key": "", authorization: `Bearer ${session.token}` };
  await call("deleteSession", { on: withoutIssuer, headers });

  const own = await call("createOrg", { body: { label: "Acme" }, headers: ada });
  await call("getOrg", { path });
  await call("updateOrg", { path, body: { updateMask: ["label"], org: { label: "Acme Apps" } } });
  await call("createOrgInvite", { path, body: { email: "ada@acme.example" } });
  const refused = await call("createOrgInvite", { path, body: { email: "eve@acme.example" } });
  await call("listOrgInvites", { path });
  await call("getOrgInvite", { path: { orgId, inviteId: refused.id } });
  await call("deleteOrgInvite", { path: { orgId, inviteId: refused.id } });
  await call("acceptInvite", { body: { invitedEmail: "ada@acme.example" }, headers: ada });
  await call("getMyInfo", { headers: ada });
  await call("listOrgBuilders", { path });
  const { builder } = await call("getMyInfo", { headers: bob });
  await call("addUserToOrg", { path: { orgId: own.id }, body: { builderId: builder.id }, headers: ada });
  const claim = { domain: "acme.example", parentType: "org", parentId: own.id };
  await call("claimDomain", { body: claim, headers: ada });
  await call("checkClaimedDomain", { query: { domain: "acme.example" }, headers: ada });
  await call("listOrgClaimedDomains", { path: { orgId: own.id }, headers: ada });
  await call("unclaimDomain", { path: { orgId: own.id, domain: "acme.example" }, headers: ada });
  await call("getOrgBillingAccount", { path, refusedWith: 404 });
  const portal = { redirectUrl: "https://app.example.com/billing" };
  const account = { path: { billingAccountId: "none" }, body: portal };
  await call("createBillingAccountSession", { ...account, refusedWith: 404 });

  await call("createProject", { body: { orgId, name: "staging", appName: "Acme Apps" } });
  await call("listProjects");
  await call("getProject", { query: { includeEntitlements: "true" } });
  const project = { appName: "Acme Apps" };
  await call("updateProject", { body: { updateMask: ["appName"], project } });
  await call("deleteProject", { path: { projectIdOrName: "staging" } });

  const { id: apiKey } = await call("createApiKey", { body: { label: "web", scopes: ["frontend"] } });
  await call("listApiKeys", { query: { active: "true" } });
  await call("getApiKey", { path: { apiKey } });
  const change = { updateMask: ["label"], apiKey: { label: "browser" } };
  await call("updateApiKey", { path: { apiKey }, body: change });
  await call("deleteApiKey", { path: { apiKey } });
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }).toString();
  const { kid } = await call("createJWTKey", { body: { label: "web", algorithm: "RS256", publicKeyPem } });
  await call("listJWTKeys");
  await call("getJWTKey", { path: { keyId: kid } });
  const off = { updateMask: ["active"], jwtKey: { active: false } };
  await call("updateJWTKey", { path: { keyId: kid }, body: off });
  await call("deleteJWTKey", { path: { keyId: kid } });
}

/** Destinations, topics and routes, so that the events of what follows go somewhere. */
export async function events({ walk, sink }: Ground): Promise<void> {
  const { call } = walk;
  const metadata = { url: `${sink.url}/hook`, headers: { "X-Tenant": "acme" } };
  const hook = await call("createDestination", { body: { name: "hook", type: "webhook", metadata } });
  const spare = await call("createDestination", { body: { name: "spare", type: "log", metadata: {} } });
  await call("listDestinations");
  await call("getDestination", { path: { destination: "hook" }, query: { includeSecrets: "true" } });
  const renamed = { updateMask: ["name"], destination: { name: "unused" } };
  await call("updateDestination", { path: { destination: spare.id }, body: renamed });
  await call("deleteDestination", { path: { destination: "unused" } });
  const trial = { eventType: "installation.created" };
  await call("testDestination", { path: { destination: "hook" }, body: trial });

  const topic = await call("createTopic", { body: { name: "customers" } });
  const { id: topicId } = await call("createTopic", { body: { name: "old" } });
  await call("listTopics");
  await call("getTopic", { path: { topicId } });
  await call("updateTopic", { path: { topicId }, body: { name: "older" } });
  await call("deleteTopic", { path: { topicId } });
  const place = { topicId: topic.id };
  await call("createEventTopicRoute", { body: { ...place, eventType: "installation.created" } });
  const event = await call("createEventTopicRoute", { body: { ...place, eventType: "write.async.done" } });
  await call("listEventTopicRoutes", { query: place });
  await call("deleteEventTopicRoute", { path: { routeId: event.id } });
  const routed = await call("createTopicDestinationRoute", { body: { ...place, destinationId: hook.id } });
  await call("listTopicDestinationRoutes", { query: place });
  await call("deleteTopicDestinationRoute", { path: { routeId: routed.id } });
  await call("createTopicDestinationRoute", { body: { ...place, destinationId: hook.id } });
}

/** The catalog, deploys and uploads. */
export async function integrations({ walk }: Ground): Promise<void> {
  const { on, call } = walk;
  await call("listProviders");
  await call("getProvider", { path: { provider: "hubspot" } });
  await call("batchUpsertIntegrations", { body: { sourceYaml: MANIFEST } });
  await call("createRevision", { path: { integrationId: "crm" }, body: { sourceYaml: MANIFEST } });
  const content = { name: "tickets", provider: "hubspot", proxy: { enabled: true } };
  const latestRevision = { specVersion: "1.0.0", content };
  await call("createIntegration", { body: { name: "tickets", provider: "hubspot", latestRevision } });
  await call("listIntegrations");
  await call("getIntegration", { path: { integrationIdOrName: "crm" } });
  await call("deleteIntegration", { path: { integrationIdOrName: "tickets" } });
  const zip = zipSync({ "amp.yaml": Buffer.from(MANIFEST) });
  for (const operationId of ["generateUploadUrl", "generateUploadUrlForWrite", "generateUploadUrlForRead"]) {
    const { url, bucket, path } = await call(operationId);
    // The walk's client sends text; a zip goes out by itself.
    const put = await fetch(url, { method: "PUT", body: zip });
    assert.equal(put.status, 204, await put.text());
    const deployed = await on.inProject("PUT", "/integrations:batch", {
      sourceZipUrl: `gs://${bucket}/${path}`,
    });
    assert.equal(deployed.status, 200, deployed.text);
  }
  walk.heard.push({ operationId: "putUpload" });
}

/** A customer: connected in each way, installed, their objects, writes and proxied calls. */
export async function customer({ walk }: Ground): Promise<void> {
  const { on, call } = walk;
  const app = { provider: "hubspot", clientId: "client", clientSecret: "secret", scopes: ["oauth"] };
  const { id: providerAppId } = await call("createProviderApp", { body: app });
  await call("listProviderApps");
  await call("getProviderApp", { path: { providerAppId } });
  const scopes = { scopes: ["oauth", "crm.objects.contacts.write"] };
  await call("updateProviderApp", {
    path: { providerAppId },
    body: { updateMask: ["scopes"], providerApp: scopes },
  });
  await call("createGroup", { body: { groupRef: "globex", groupName: "Globex" } });
  await call("createConsumer", { body: { consumerRef: "homer", consumerName: "Homer" } });
  const asking = { projectIdOrName: "default", provider: "hubspot", groupRef: "acme", consumerRef: "ada" };
  const consent = await call("oauthConnect", { body: { ...asking, groupName: "Acme" } });
  await comeBack(walk, consent);
  const tied = await on.call("POST", "/v1/oauth-connect", { ...asking, enableCSRFProtection: true });
  const begun = await fetch(tied.text, { redirect: "manual" });
  assert.equal(begun.status, 302, await begun.text());
  walk.heard.push({ operationId: "oauthBegin" });
  const [{ id: connectionId }] = await call("listConnections", { query: { groupRef: "acme" } });
  await comeBack(walk, await call("oauthUpdate", { path: { connectionId } }));
  await call("getConnection", { path: { connectionId }, query: { includeCreds: "true" } });
  const workspace = { updateMask: ["providerWorkspaceRef"], connection: { providerWorkspaceRef: "acme" } };
  await call("updateConnection", { path: { connectionId }, body: workspace });
  const tokens = on.sandbox.hubspot.mintToken();
  const imported = await call("generateConnection", {
    body: {
      provider: "hubspot",
      groupRef: "globex",
      consumerRef: "homer",
      oauth2AuthorizationCode: {
        accessToken: { token: tokens.accessToken },
        refreshToken: { token: tokens.refreshToken },
      },
    },
  });
  await call("deleteConnection", { path: { connectionId: imported.id } });
  await call("customAuthConnect", { body: CUSTOM });
  await call("customAuthCallback", { query: { code: "x" } });
  await call("customAuthFormCallback", { body: "code=x" });
  await installed(walk, connectionId);
  const other = { provider: "salesforce", clientId: "client", clientSecret: "secret", scopes: ["api"] };
  const spare = await call("createProviderApp", { body: other });
  await call("deleteProviderApp", { path: { providerAppId: spare.id } });
}

const CUSTOM = {
  projectIdOrName: "default",
  provider: "bridge",
  groupRef: "acme",
  consumerRef: "ada",
  customAuth: { account: "acme", secret: "open sesame" },
};

/** What a browser does with the address: the consent page agrees and leads back. */
async function comeBack({ call }: Walk, url: string): Promise<void> {
  const page = await fetch(`${url}&decision=allow`, { redirect: "manual" });
  const back = new URL(page.headers.get("location") ?? "");
  await call("oauthCallback", { query: Object.fromEntries(back.searchParams) });
}

async function installed(walk: Walk, connectionId: string): Promise<void> {
  const { call } = walk;
  const crm = { integrationId: "crm" };
  const objects = { contacts: { selectedFields: { phone: true }, selectedFieldMappings: {} } };
  const content = { provider: "hubspot", read: { objects }, proxy: { enabled: true } };
  const body = { groupRef: "acme", connectionId, config: { content } };
  const { id: installationId, config } = await call("createInstallation", { path: crm, body });
  const path = { ...crm, installationId };
  await call("listInstallations", { path: crm, query: { groupRef: "acme" } });
  await call("listInstallationsForProject");
  await call("getInstallation", { path });
  const proxy = { config: { content: { proxy: { enabled: true } } } };
  const update = { updateMask: ["config.content.proxy.enabled"], installation: proxy };
  await call("updateInstallation", { path, body: update });
  const changes = [{ op: "add", path: "/selectedFields/phone", value: true }];
  await call("patchObjectConfigContent", {
    path: { ...crm, objectName: "contacts" },
    body: { groupRef: "acme", action: "read", changes },
  });
  await objectsAndFields(walk, connectionId, config.revisionId);
  await written(walk, path);
  await notBuilt(walk, path);
}

async function objectsAndFields({ call }: Walk, connectionId: string, revisionId: string): Promise<void> {
  const query = { connectionId };
  await call("getHydratedRevision", { path: { integrationId: "crm", revisionId }, query });
  const where = { objectName: "contacts" };
  const group = { groupRef: "acme" };
  await call("getObjectMetadataForConnection", { path: { ...where, provider: "hubspot" }, query: group });
  await call("getObjectMetadataForInstallation", { path: { ...where, integrationId: "crm" }, query: group });
  const stringOptions = { values: ["basic", "plus"], valuesRestricted: true };
  const plan = { fieldName: "plan", displayName: "Plan", valueType: "singleSelect", stringOptions };
  const body = { groupRef: "acme", fields: { contacts: [plan] } };
  await call("upsertMetadataForConnection", { path: { provider: "hubspot" }, body });
  await call("upsertMetadataForInstallation", { path: { integrationId: "crm" }, body });
}

async function written(walk: Walk, path: { integrationId: string; installationId: string }): Promise<void> {
  const { on, call } = walk;
  const contacts = { ...path, objectName: "contacts" };
  const create = { groupRef: "acme", type: "create" };
  const write = (title: string, body: object, query?: Record<string, string>) =>
    call("writeRecords", { title, path: contacts, body, ...(query && { query }) });
  const record = { email: "ada@example.com", givenName: "Ada" };
  const { operationId, result } = await write("One record", { ...create, record });
  const changed = { id: result.recordId, givenName: "Augusta" };
  await write("An update", { groupRef: "acme", type: "update", record: changed });
  const batch = ["bob", "cleo"].map((name) => ({ record: { email: `${name}@example.com` } }));
  await write("A batch", { ...create, batch });
  const later = { mode: "asynchronous", retryPolicy: { deadlineHours: 12 } };
  await write("Later", { ...create, ...later, record: { email: "dora@example.com" } });
  await write("A dry run", { ...create, record }, { dryRun: "true" });
  await call("getOperation", { path: { operationId } });
  await call("listOperationLogs", { path: { operationId } });
  await call("listOperations", { path, query: { pageSize: "10" } });
  const proxied = await fetch(`${on.busbar.urls.proxy}/crm/v3/objects/contacts?limit=1`, {
    headers: {
      "x-api-key": on.apiKey,
      "x-amp-proxy-version": "1",
      "x-amp-project-id": on.projectId,
      "x-amp-installation-id": path.installationId,
    },
  });
  assert.equal(proxied.status, 200, await proxied.text());
  const listed = () =>
    on.inProject("GET", `/integrations/crm/installations/${path.installationId}/proxy-calls`);
  await until(async () => (await listed()).body.results.length > 0);
  await call("listProxyCalls", { path });
}

async function notBuilt(
  { call }: Walk,
  path: { integrationId: string; installationId: string },
): Promise<void> {
  const object = { ...path, objectName: "contacts" };
  const refusedWith = 501;
  await call("getBackfillProgress", { path: object, refusedWith });
  await call("triggerRead", { path: object, body: { groupRef: "acme", mode: "async" }, refusedWith });
  await call("deliverResults", { path: object, body: { groupRef: "acme", pages: 1 }, refusedWith });
  await call("pauseReads", { path, body: { objects: ["contacts"], note: "moving house" }, refusedWith });
  await call("unpauseReads", { path, body: { objects: ["contacts"] }, refusedWith });
  const fieldFilters = [{ fieldName: "email", operator: "eq", value: "ada@example.com" }];
  const body = { objectName: "contacts", fieldFilters };
  await call("searchRecords", { path, query: { groupRef: "acme" }, body, refusedWith });
}

/** Deliveries of what happened so far, and the end of the installation. */
export async function deliveries({ walk, sink }: Ground): Promise<void> {
  const { on, call } = walk;
  const path = { destination: "hook" };
  await until(() => sink.at("/hook").length > 1);
  const listed = () => on.inProject("GET", "/destinations/hook/deliveries?status=delivered");
  const [{ id: deliveryId, eventTime }] = await until(async () => {
    const { results } = (await listed()).body;
    return results.length > 0 ? results : undefined;
  });
  await call("listDeliveries", { path, query: { status: "delivered" } });
  const { data } = await call("getDelivery", { path: { ...path, deliveryId } });
  const sealer = new Sealer([{ id: "test", secret: Buffer.alloc(32, 7) }]);
  const member = "config" in data ? "config" : (Object.keys(data)[0] ?? "");
  const url = eventFileUrl(sealer, "", { eventId: deliveryId, member });
  await call("getEventFile", { path: { token: url.split("/").at(-1) ?? "" } });
  await call("resendDelivery", { path: { ...path, deliveryId } });
  await call("resendDeliveries", { path, body: { since: eventTime, status: "all" } });
  await call("listWaitingDeliveries");
  const [{ id: installationId }] = (await on.inProject("GET", "/installations")).body;
  await call("deleteInstallation", { path: { integrationId: "crm", installationId } });
}

/** Health and this documentation. */
export async function documents({ walk }: Ground): Promise<void> {
  const start = await fetch(new URL("/", walk.on.busbar.urls.base), { redirect: "manual" });
  assert.deepEqual([start.status, start.headers.get("location")], [302, "/docs"]);
  walk.heard.push({ operationId: "getStart" });
  for (const operationId of [
    "getHealthz",
    "getReadyz",
    "getOpenApi",
    "getDocs",
    "getDocsReader",
    "getProblemTypes",
  ]) {
    await walk.call(operationId);
  }
  await walk.call("getProblemType", { path: { slug: "not-found" } });
}
