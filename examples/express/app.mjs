/** Connects customers' HubSpot accounts, keeps a live copy of their contacts in PostgreSQL, and writes back. */
import { readFile } from "node:fs/promises";
import { Busbar, readMessage } from "@busbar/client";
import express from "express";
import { Pool } from "pg";

const {
  BUSBAR_URL,
  BUSBAR_API_KEY,
  DATABASE_URL,
  HUBSPOT_CLIENT_ID,
  HUBSPOT_CLIENT_SECRET,
  PORT = "3000",
} = process.env;
const busbar = new Busbar({ url: BUSBAR_URL, apiKey: BUSBAR_API_KEY, project: "default" });
const database = new Pool({ connectionString: DATABASE_URL });
// A connection that waits may be ended by the database, for example at its restart; the next query opens another.
database.on("error", (error) => process.stderr.write(`${error.message}\n`));
const app = express();

await database.query(`CREATE TABLE IF NOT EXISTS people (
  customer text, id text, email text, given_name text, title text, deleted boolean, changed text, read text,
  PRIMARY KEY (customer, id))`);

// Each message holds records of one customer. The version that changed later wins, so messages may come twice and in any order.
app.post("/busbar", express.raw({ type: "*/*", limit: "10mb" }), async (request, response) => {
  let message;
  try {
    message = readMessage(request.body, request.headers, signingKey);
  } catch {
    return response.sendStatus(401);
  }
  if (message.action === "read") {
    const records = message.result ?? (await (await fetch(message.resultInfo.downloadUrl)).json());
    for (const { mappedFields: person, id, changeTime, readTime, deleted } of records)
      await database.query(
        `INSERT INTO people VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (customer, id) DO UPDATE SET (email, given_name, title, deleted, changed, read)
           = (excluded.email, excluded.given_name, excluded.title, excluded.deleted, excluded.changed, excluded.read)
         WHERE (excluded.changed, excluded.read) >= (people.changed, people.read)`,
        [
          message.groupRef,
          id,
          person?.email,
          person?.givenName,
          person?.title,
          deleted === true,
          changeTime ?? "",
          readTime,
        ],
      );
  }
  // An answer that is not a success, also of an error above, makes Busbar send the message again.
  response.sendStatus(204);
});

// Your own sign-in tells who the customer is; here it is the address.
app.get("/:customer", async (request, response) => {
  const { customer } = request.params;
  const [connection] = await busbar.listConnections({ groupRef: customer, provider: "hubspot" });
  const [installation] = await busbar.listInstallations({ integrationId: "people", groupRef: customer });
  const { rows } = await database.query(
    "SELECT * FROM people WHERE customer = $1 AND NOT deleted ORDER BY email",
    [customer],
  );
  response.send(page(customer, { connection, installation }, rows));
});

app.post("/:customer/connect", async (request, response) => {
  const { customer } = request.params;
  const consent = {
    projectIdOrName: "default",
    provider: "hubspot",
    groupRef: customer,
    consumerRef: `user-of-${customer}`,
  };
  response.redirect(303, await busbar.oauthConnect({ oauthConnectRequest: consent }));
});

app.post("/:customer/install", async (request, response) => {
  const { customer } = request.params;
  const contacts = { objectName: "contacts", selectedFields: { jobtitle: true } };
  const content = { provider: "hubspot", read: { objects: { contacts } } };
  const installation = { groupRef: customer, config: { content } };
  await busbar.createInstallation({ integrationId: "people", createInstallationRequest: installation });
  response.redirect(303, `/${customer}`);
});

app.post("/:customer/people/:id", express.urlencoded(), async (request, response) => {
  const { customer, id } = request.params;
  const record = { id, title: request.body.title };
  const writeRequest = { groupRef: customer, type: "update", record };
  await busbar.writeRecords({ integrationId: "people", objectName: "person", writeRequest });
  // The page shows the change when it comes back with the next read.
  response.redirect(303, `/${customer}`);
});

function page(customer, { connection, installation }, people) {
  const button = (action, text) =>
    `<form method="post" action="/${encodeURIComponent(customer)}/${action}"><button>${text}</button></form>`;
  const row = ({ id, email, given_name, title }) =>
    `<tr><td>${escape(email)}<td>${escape(given_name)}<td><form method="post" action="/${encodeURIComponent(customer)}/people/${id}">
      <input name="title" value="${escape(title)}"><button>Save</button></form>`;
  return `<!doctype html><title>People</title><h1>People of ${escape(customer)}</h1>
    ${!connection ? button("connect", "Connect HubSpot") : installation ? "<p>Connected." : button("install", "Read contacts")}
    <table>${people.map(row).join("")}</table>`;
}

const escape = (text) =>
  String(text ?? "").replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Creates what the project lacks: the OAuth client, the address for messages, the integration. Returns the signing key. */
async function setUp(address) {
  const apps = await busbar.listProviderApps();
  if (!apps.some(({ provider }) => provider === "hubspot")) {
    const client = { clientId: HUBSPOT_CLIENT_ID, clientSecret: HUBSPOT_CLIENT_SECRET };
    const scopes = ["oauth", "crm.objects.contacts.read", "crm.objects.contacts.write"];
    await busbar.createProviderApp({ createProviderAppRequest: { provider: "hubspot", ...client, scopes } });
  }
  const destination = { name: "app", type: "webhook", metadata: { url: `${address}/busbar` } };
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
  const { secrets } = await busbar.getDestination({ destination: "app", includeSecrets: true });
  return secrets.webhookSigningKey;
}

let signingKey;
const server = app.listen(Number(PORT), async (error) => {
  // Express calls it also if it cannot listen.
  if (error) throw error;
  const address = `http://127.0.0.1:${server.address().port}`;
  signingKey = await setUp(address);
  process.stdout.write(`People at ${address}/acme\n`);
});
