/** Keeps a table in SQLite and a customer's HubSpot equal, both ways. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Busbar, BusbarError, readMessage } from "@busbar/client";
import { isUnchanged, keepRefused, keepSent, listUnsent, take, valuesIn } from "./people.mjs";

const { BUSBAR_URL, BUSBAR_API_KEY, HUBSPOT_CLIENT_ID, HUBSPOT_CLIENT_SECRET, PORT = "3000" } = process.env;
const { CUSTOMER: groupRef = "acme" } = process.env;
const busbar = new Busbar({ url: BUSBAR_URL, apiKey: BUSBAR_API_KEY, project: "default" });
const integrationId = "people-both-ways";
const say = (text) => process.stdout.write(`${text}\n`);

/** Takes changes from the CRM: each message holds records of one customer. Messages may come twice and in any order. */
async function receive(request, response) {
  let message;
  try {
    message = readMessage(await buffer(request), request.headers, signingKey);
  } catch {
    return response.writeHead(401).end();
  }
  if (message.action === "read" && message.groupRef === groupRef) {
    const records = message.result ?? (await (await fetch(message.resultInfo.downloadUrl)).json());
    const taken = records.filter(take);
    if (taken.length > 0) say(`from the CRM: ${taken.map(({ id }) => id).join(", ")}`);
  }
  response.writeHead(204).end();
}

/** Sends to the CRM what the application has changed in a row, unless the CRM has a later version. */
async function send(row) {
  const values = valuesIn(row);
  const current = row.crm_id === null ? undefined : await find(row.crm_id);
  // Changed while HubSpot answered, perhaps by a message with what has just been found: the next round sees what is left to send.
  if (!isUnchanged(row)) return;
  if (current && take(current)) return say(`the CRM was later: ${row.crm_id}`);
  const isSame = current && valuesIn(current.mappedFields) === values;
  if (isSame || (row.deleted && !current)) return void keepSent(row, values, row.crm_id, row.changed);
  const person = JSON.parse(values);
  const request = row.deleted
    ? { type: "delete", record: { id: row.crm_id } }
    : current
      ? { type: "update", record: { id: row.crm_id, ...person } }
      : { type: "upsert", key: "email", record: person };
  try {
    const writeRequest = { groupRef, ...request };
    const { result } = await busbar.writeRecords({ integrationId, objectName: "person", writeRequest });
    // What changed in the CRM before this write was overwritten, also if its message comes later.
    const changed = result.data?.updatedAt ?? new Date().toISOString();
    keepSent(row, values, result.recordId ?? row.crm_id, changed);
    say(`to the CRM: ${request.type} ${result.recordId ?? row.crm_id}`);
  } catch (error) {
    // What the CRM refuses is not sent again until the row changes; anything else is.
    if (!(error instanceof BusbarError)) throw error;
    if (!error.problem.retryable) keepRefused(row, values);
    say(`not written: ${error.message}`);
  }
}

/** Returns HubSpot's version of a record as it is now: by the proxy, because a search finds a change only after some seconds. */
async function find(id) {
  const path = `/crm/objects/2026-03/contacts/${id}?properties=email,firstname,jobtitle`;
  const providerCall = { method: "GET", path };
  const answer = await busbar.callProvider({ integrationId, installationId, providerCall });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw new Error(`HubSpot answered ${answer.status}`);
  const { properties, updatedAt } = JSON.parse(answer.body);
  const { email, firstname: givenName, jobtitle: title } = properties;
  return { id, changeTime: updatedAt, mappedFields: { email, givenName, title } };
}

/** Creates what the project lacks, and returns the key that signs messages. */
async function setUp(address) {
  const apps = await busbar.listProviderApps();
  if (!apps.some(({ provider }) => provider === "hubspot")) {
    const client = { clientId: HUBSPOT_CLIENT_ID, clientSecret: HUBSPOT_CLIENT_SECRET };
    const scopes = ["oauth", "crm.objects.contacts.read", "crm.objects.contacts.write"];
    await busbar.createProviderApp({ createProviderAppRequest: { provider: "hubspot", ...client, scopes } });
  }
  const destination = { name: "two-way-sync", type: "webhook", metadata: { url: address } };
  const destinations = await busbar.listDestinations();
  const existing = destinations.find(({ name }) => name === destination.name);
  if (!existing) await busbar.createDestination({ createDestinationRequest: destination });
  // The application may have moved since its last start.
  if (existing && existing.metadata.url !== destination.metadata.url) {
    const updateDestinationRequest = { updateMask: ["metadata.url"], destination };
    await busbar.updateDestination({ destination: existing.id, updateDestinationRequest });
  }
  const sourceYaml = await readFile(new URL("amp.yaml", import.meta.url), "utf8");
  await busbar.batchUpsertIntegrations({ manifestSource: { sourceYaml } });
  const { secrets } = await busbar.getDestination({ destination: "two-way-sync", includeSecrets: true });
  return secrets.webhookSigningKey;
}

/** Waits until the customer has connected HubSpot, installs the integration, and returns the installation's id. */
async function connect() {
  const connections = () => busbar.listConnections({ groupRef, provider: "hubspot" });
  if ((await connections()).length === 0) {
    const consent = { projectIdOrName: "default", provider: "hubspot", groupRef, consumerRef: "ada" };
    say(`Connect HubSpot: ${await busbar.oauthConnect({ oauthConnectRequest: consent })}`);
    while ((await connections()).length === 0) await sleep(500);
  }
  const [installation] = await busbar.listInstallations({ integrationId, groupRef });
  if (installation) return installation.id;
  const contacts = { objectName: "contacts", deletionSettings: { enabled: true } };
  const content = {
    provider: "hubspot",
    read: { objects: { contacts: { objectName: "contacts" } } },
    write: { objects: { contacts } },
    proxy: { enabled: true },
  };
  const createInstallationRequest = { groupRef, config: { content } };
  return (await busbar.createInstallation({ integrationId, createInstallationRequest })).id;
}

let signingKey;
const server = createServer((request, response) => {
  // An answer that is not a success makes Busbar send the message again.
  receive(request, response).catch((error) => response.writeHead(500).end(error.message));
}).listen(Number(PORT), "127.0.0.1");
await once(server, "listening");
signingKey = await setUp(`http://127.0.0.1:${server.address().port}/`);
const installationId = await connect();
say("In step. Change the table `people`, or the CRM.");
for (;;) {
  try {
    for (const row of listUnsent()) await send(row);
  } catch (error) {
    say(`later again: ${error.message}`);
  }
  await sleep(1_000);
}
