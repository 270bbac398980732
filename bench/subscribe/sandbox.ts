/** Runs the sandbox CRMs in a separate process; prints their addresses, tokens, and the ids of contacts at HubSpot. */
import { startSandbox } from "../../sandbox/sandbox.ts";

const sandbox = await startSandbox({ limits: "off", requestLogSize: 10 });
const changed = { changedFrom: Date.now() - 3_600_000, changedTo: Date.now() - 3_600_000 };
const values = { lastname: "Name {n}", email: "person{n}@example.com" };
sandbox.hubspot.account.generate("contacts", { count: 1_000, ...changed, values });
const mintTokens = (provider: "hubspot" | "salesforce") =>
  sandbox[provider].mintToken({ expiresInSeconds: 86_400 });
console.log(
  JSON.stringify({
    url: sandbox.url,
    catalog: sandbox.catalog(),
    hubspot: mintTokens("hubspot"),
    salesforce: mintTokens("salesforce"),
    contacts: [...sandbox.hubspot.account.dump("contacts", false)].map(({ id }) => String(id)),
  }),
);
