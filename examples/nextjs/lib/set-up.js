/** Creates what the project lacks: the OAuth client, the address for messages, the integration, the key for customers' tokens. */
import { generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { busbar, database } from "./busbar.js";

const { APP_URL = "http://127.0.0.1:3000", HUBSPOT_CLIENT_ID, HUBSPOT_CLIENT_SECRET } = process.env;

export async function setUp() {
  await database.query(`CREATE TABLE IF NOT EXISTS people (
    customer text, id text, email text, given_name text, title text, deleted boolean, changed text, read text,
    PRIMARY KEY (customer, id))`);
  await database.query("CREATE TABLE IF NOT EXISTS customer_key (id text PRIMARY KEY, private_key_pem text)");
  const apps = await busbar.listProviderApps();
  if (!apps.some(({ provider }) => provider === "hubspot")) {
    const client = { clientId: HUBSPOT_CLIENT_ID, clientSecret: HUBSPOT_CLIENT_SECRET };
    const scopes = ["oauth", "crm.objects.contacts.read", "crm.objects.contacts.write"];
    await busbar.createProviderApp({ createProviderAppRequest: { provider: "hubspot", ...client, scopes } });
  }
  const destination = { name: "nextjs-app", type: "webhook", metadata: { url: `${APP_URL}/busbar` } };
  const destinations = await busbar.listDestinations();
  const existing = destinations.find(({ name }) => name === destination.name);
  if (!existing) await busbar.createDestination({ createDestinationRequest: destination });
  // The application may have moved since its last start.
  if (existing && existing.metadata.url !== destination.metadata.url) {
    const updateDestinationRequest = { updateMask: ["metadata.url"], destination };
    await busbar.updateDestination({ destination: existing.id, updateDestinationRequest });
  }
  await busbar.batchUpsertIntegrations({
    manifestSource: { sourceYaml: await readFile("amp.yaml", "utf8") },
  });
  const { rows } = await database.query("SELECT id FROM customer_key");
  if (rows.length === 0) await createCustomerKey();
}

/** Keep the private key where you keep secrets; here it is in the database. */
async function createCustomerKey() {
  const encodings = {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  };
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048, ...encodings });
  const key = { label: "pages", algorithm: "RS256", publicKeyPem: publicKey };
  const { kid } = await busbar.createJwtKey({ createJwtKeyRequest: key });
  await database.query("INSERT INTO customer_key VALUES ($1, $2)", [kid, privateKey]);
}
