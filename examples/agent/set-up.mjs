/** Creates what the project lacks, and waits until the customer has connected an account. */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const { HUBSPOT_CLIENT_ID, HUBSPOT_CLIENT_SECRET } = process.env;
const integrationId = "people-for-agents";

export async function setUp(busbar) {
  const apps = await busbar.listProviderApps();
  if (!apps.some(({ provider }) => provider === "hubspot")) {
    const client = { clientId: HUBSPOT_CLIENT_ID, clientSecret: HUBSPOT_CLIENT_SECRET };
    const scopes = ["oauth", "crm.objects.contacts.read", "crm.objects.contacts.write"];
    await busbar.createProviderApp({ createProviderAppRequest: { provider: "hubspot", ...client, scopes } });
  }
  const sourceYaml = await readFile(new URL("amp.yaml", import.meta.url), "utf8");
  await busbar.batchUpsertIntegrations({ manifestSource: { sourceYaml } });
}

export async function connect(busbar, groupRef, say) {
  const connections = () => busbar.listConnections({ groupRef, provider: "hubspot" });
  if ((await connections()).length === 0) {
    const consent = { projectIdOrName: "default", provider: "hubspot", groupRef, consumerRef: "ada" };
    say(`Connect HubSpot: ${await busbar.oauthConnect({ oauthConnectRequest: consent })}`);
    while ((await connections()).length === 0) await sleep(500);
  }
  const [installation] = await busbar.listInstallations({ integrationId, groupRef });
  if (installation) return;
  const content = { provider: "hubspot" };
  const createInstallationRequest = { groupRef, config: { content } };
  await busbar.createInstallation({ integrationId, createInstallationRequest });
}
