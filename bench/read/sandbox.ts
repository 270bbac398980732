/** Runs the sandbox CRMs in a separate process with a filled Salesforce account; prints address and tokens. */
import { startSandbox } from "../../sandbox/sandbox.ts";

const [records = "10000"] = process.argv.slice(2);
const sandbox = await startSandbox({ limits: "off", requestLogSize: 10 });
const lastWeek = Date.now() - 7 * 86_400_000;
sandbox.salesforce.account.generate("Contact", {
  count: Number(records),
  changedFrom: lastWeek,
  changedTo: Date.now() - 3_600_000,
  values: {
    LastName: "Name {n}",
    FirstName: "First {n}",
    Email: "person{n}@example.com",
    Phone: "+49 30 {n}",
  },
});
const { accessToken, refreshToken } = sandbox.salesforce.mintToken({ expiresInSeconds: 86_400 });
const hubspot = sandbox.hubspot.mintToken({ expiresInSeconds: 86_400 });
console.log(JSON.stringify({ url: sandbox.url, accessToken, refreshToken, hubspot }));
