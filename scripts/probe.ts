/** `npm run probe -- <provider>`: compares a provider's answers with its description, by read-only calls with real credentials. */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { parse as parseYaml } from "yaml";
import { CONNECTORS } from "../connectors/connectors.gen.ts";
import { DESCRIPTIONS } from "../connectors/descriptions.gen.ts";
import { checkCustomProvider } from "../connector-kit/custom-provider.ts";
import { PROVIDER_TABLE } from "../connectors/provider-table.ts";
import { completeProvider } from "../connector-kit/provider/define-provider.ts";
import { describeConnector } from "../connector-kit/declarative/describe-connector.ts";
import { withAccount } from "../connector-kit/calls/with-account.ts";
import { TemplateError } from "../connector-kit/provider/template.ts";
import { now } from "../ground/clock.ts";
import { openEgress } from "../server/egress/open-egress.ts";
import { probeDescription } from "./probe/probe-description.ts";
import { openProbeFetch } from "./probe/probe-fetch.ts";
import { redact, report } from "./probe/probe-report.ts";
import type { Probed } from "./probe/probed.ts";
import { readProbeCredentials } from "./probe/read-probe-credentials.ts";
import { readMessage } from "../ground/errors.ts";

const USAGE = `npm run probe -- <provider or file> [--credentials <file>] [--object <name>]…

Lists and reads a few records with your credentials and compares the answers with the description of the provider, or with that of a
file of your own (providers/x-quill.yaml). Nothing is written. The credentials are JSON, in the file or in the variable
BUSBAR_PROBE_CREDENTIALS: {"accessToken": "…"}, {"apiKey": "…"}, {"username": "…", "password": "…"} or {"custom": {…}}; with
"metadata": {"workspace": "acme"} where the provider's address needs it. BUSBAR_EGRESS_ALLOW lists private hosts that may be called.`;

const { values: options, positionals } = parseArgs({
  options: { credentials: { type: "string" }, object: { type: "string", multiple: true } },
  allowPositionals: true,
});
const [wanted] = positionals;
if (wanted === undefined) end(USAGE, 2);
const probed = await findProbed(wanted);
const text = options.credentials
  ? await readFile(options.credentials, "utf8").catch(() => end(`${options.credentials} cannot be read`, 2))
  : process.env["BUSBAR_PROBE_CREDENTIALS"];
if (text === undefined) end(`There are no credentials.\n\n${USAGE}`, 2);
const given = readProbeCredentials(probed.info, text);
if (typeof given === "string") end(given, 2);

const egress = openEgress((process.env["BUSBAR_EGRESS_ALLOW"] ?? "").split(",").filter(Boolean));
try {
  const fetch = openProbeFetch(egress, probed, given);
  const account = { values: given.metadata };
  const connector = withAccount(probed.connector, account);
  const findings = await probeDescription({ ...probed, connector, account }, fetch, options.object);
  console.log(redact(report(probed, findings, { requests: fetch.requests(), date: now() }), given.secrets));
  process.exitCode = findings.some(({ verdict }) => verdict === "differs") ? 1 : 0;
} catch (error) {
  const message = readMessage(error);
  const remedy = error instanceof TemplateError ? `; add it to "metadata" of the credentials` : "";
  console.error(redact(`${message}${remedy}`, given.secrets));
  process.exitCode = 2;
} finally {
  await egress.close();
}

async function findProbed(name: string): Promise<Probed> {
  const file = /([^/]+)\.(?:ya?ml|json)$/.exec(name);
  if (file) {
    const source = await readFile(name, "utf8").catch(() => end(`${name} cannot be read`, 2));
    const { own, faults } = checkCustomProvider(file[1] ?? "", parseYaml(source));
    if (!own) end(faults.map(({ path, message }) => `${path}: ${message}`).join("\n"), 2);
    if (!own.description) end(`${name} has no member connector: there is nothing to compare`, 2);
    const { info, description } = own;
    return { info, description, connector: describeConnector(info.name, description) };
  }
  const facts = Object.hasOwn(PROVIDER_TABLE, name) ? PROVIDER_TABLE[name] : undefined;
  const [description, connector] = [DESCRIPTIONS[name], CONNECTORS[name]];
  if (!facts || !description || !connector) {
    const known = Object.keys(DESCRIPTIONS).join(", ");
    end(`There is no description of ${name}. There are descriptions of ${known}.`, 2);
  }
  return { info: completeProvider(name, facts), description, connector };
}

function end(message: string, code: number): never {
  console.error(message);
  process.exit(code);
}
