/** The subscriptions of the drill: one installation for each account, with pushes of HubSpot and a stream of Salesforce. */
import { setTimeout as wait } from "node:timers/promises";
import type { Sandbox } from "../../../sandbox/sandbox.ts";
import type { ChildBusbar } from "../../harness/child-busbar.ts";
import { connectCustomer } from "../../harness/connect-customer.ts";
import { OBJECTS, type DrilledObject } from "../read/customer-account.ts";

const SECRET = "secret of the drill";
const ACTIVE_WITHIN_MS = 300_000;
const SOURCES = { hubspot: "webhook", salesforce: "pubsub" };
const OTHER_EVENTS = { hubspot: "merge, restore", salesforce: "UNDELETE" };

const buildManifest = ({ provider, object, field, path }: DrilledObject): string => `
specVersion: 1.0.0
integrations:
  - name: ${provider}
    provider: ${provider}
    read:
      objects:
        - objectName: ${object}
          destination: ${getName(path)}
          requiredFields: [{ fieldName: ${field} }]
    subscribe:
      objects:
        - objectName: ${object}
          destination: ${getName(path)}
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
          updateEvent: { enabled: always, watchFieldsAuto: all }
          deleteEvent: { enabled: always }
          otherEvents: [${OTHER_EVENTS[provider]}]
`;

const getName = (path: string): string => path.slice(1).replace("/", "-");

/** Installs for each object; returns the paths of the installations when their subscriptions are active. */
export async function subscribeAll(
  child: ChildBusbar,
  {
    sandbox,
    receiverUrl,
    publicUrl,
    pushRetryMs,
  }: { sandbox: Sandbox; receiverUrl: string; publicUrl: string; pushRetryMs: number },
): Promise<string[]> {
  const installations: string[] = [];
  for (const drilled of OBJECTS) {
    const { provider, path } = drilled;
    const app = { provider, clientId: "drill", clientSecret: SECRET, scopes: ["api"] };
    const metadata = { providerParams: { subscribeSource: SOURCES[provider] } };
    await requireMade(child.inProject("POST", "/provider-apps", { ...app, metadata }));
    const destination = { name: getName(path), type: "webhook", metadata: { url: `${receiverUrl}${path}` } };
    await requireMade(child.inProject("POST", "/destinations", destination));
    const { installationId } = await connectCustomer(
      { ...child, sandbox },
      { provider, manifest: buildManifest(drilled), integration: provider, expiresInSeconds: 86_400 },
    );
    installations.push(`/integrations/${provider}/installations/${installationId}`);
  }
  for (const installation of installations) await untilActive(child, installation);
  sandbox.hubspot.webhooks.set({
    targetUrl: `${publicUrl}/subscribe/v1/projects/default/integrations/hubspot`,
    clientSecret: SECRET,
    duplicate: true,
    reorder: true,
    batchDelayMs: 100,
    // HubSpot repeats for a day.
    attempts: 1_000,
    retryMs: pushRetryMs,
  });
  sandbox.salesforce.bus.settings = { ...sandbox.salesforce.bus.settings, duplicate: true };
  return installations;
}

async function requireMade(call: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await call;
  if (status >= 300) throw new Error(text);
}

async function untilActive(child: ChildBusbar, installation: string): Promise<void> {
  const endMs = performance.now() + ACTIVE_WITHIN_MS;
  for (;;) {
    const [subscription] = (await child.inProject("GET", `${installation}/subscriptions`)).body;
    if (subscription?.state === "active") return;
    if (performance.now() > endMs) throw new Error(`not active: ${JSON.stringify(subscription)}`);
    await wait(100);
  }
}
