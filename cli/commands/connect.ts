/** `busbar connect hubspot --group acme`: connects a customer's account by consent page or with credentials. */
import type { Command } from "commander";
import { askConsent, findConnection, type Customer } from "../connecting/consent.ts";
import { listMetadataInputs, findNeeds, type Input } from "../connecting/provider-needs.ts";
import { askFor, readCredentials } from "../connecting/read-credentials.ts";
import { Failure, UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { requireObject, requireText, getValueAt, type Json, type JsonObject } from "../http/json.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { printRecord } from "../output/print-record.ts";
import { canAsk } from "../prompt.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { collect, parseWholeNumber } from "./resource-options.ts";

interface ConnectOptions {
  group: string;
  consumer?: string;
  credentials?: string;
  metadata?: string[];
  providerApp?: string;
  open: boolean;
  timeoutSeconds: number;
}

export function addConnect(program: Command, terminal: Terminal): void {
  program
    .command("connect <provider>")
    .description("connect a customer's account")
    .requiredOption("-g, --group <groupRef>", "the customer")
    .option("--consumer <consumerRef>", "the person who connects (default: the same as the group)")
    .option(
      "--credentials <source>",
      "for providers without a consent page: @file, or - for stdin (default: ask)",
    )
    .option(
      "-m, --metadata <name=value>",
      "other facts the provider needs, such as a workspace; may be repeated",
      collect,
    )
    .option("--provider-app <id>", "your OAuth client, if there are several")
    .option("--no-open", "print the address of the consent page and open no browser")
    .option("--timeout-seconds <n>", "how long to wait for the consent", parseWholeNumber(1, 3_600), 600)
    .addHelpText(
      "after",
      "\nCredentials are the API key alone, or a JSON object: username and password, or clientId and clientSecret, or the\n" +
        "inputs that `busbar get provider` names. A customer who is connected already gets the new credentials.",
    )
    .action(async (provider: string, options: ConnectOptions, command: Command) => {
      const given = readMetadata(options.metadata ?? []);
      const deps = await connect(command, terminal);
      const info = await readProviderInfo(deps, provider);
      const customer = { provider, groupRef: options.group, consumerRef: options.consumer ?? options.group };
      const metadata = await completeMetadata(given, listMetadataInputs(info), terminal);
      const connection = await connectAs({ deps, info, customer, metadata }, options, terminal);
      if (!deps.out.json)
        deps.out.note(`connected ${escapeUnsafe(provider)} for ${escapeUnsafe(options.group)}`);
      await printRecord(connection, deps.out);
    });
}

interface Wanted {
  deps: Connected;
  info: JsonObject;
  customer: Customer;
  /** The member `providerMetadata`, or nothing. */
  metadata: JsonObject;
}

async function connectAs(wanted: Wanted, options: ConnectOptions, terminal: Terminal): Promise<JsonObject> {
  const { deps, info, customer, metadata } = wanted;
  const needs = findNeeds(info);
  const providerApp: JsonObject =
    options.providerApp === undefined ? {} : { providerAppId: options.providerApp };
  if (needs.kind === "consent") {
    if (options.credentials !== undefined)
      throw new UsageFailure(
        `${customer.provider} is connected by a consent page and takes no --credentials.`,
      );
    const { open: opens, timeoutSeconds } = options;
    return askConsent(
      deps,
      customer,
      { more: { ...metadata, ...providerApp }, opens: opens && canAsk(terminal), timeoutSeconds },
      terminal,
    );
  }
  if (needs.kind === "nothing") return generate(wanted, {});
  const credentials = await readCredentials(needs.inputs, options.credentials, terminal);
  if (needs.member === "customAuth")
    return connectInSteps(wanted, { customAuth: credentials, ...providerApp });
  return generate(wanted, { [needs.member]: credentials });
}

/** Creates the connection, or gives the existing one new credentials. */
async function generate({ deps, customer, metadata }: Wanted, credentials: JsonObject): Promise<JsonObject> {
  const existing = await findConnection(deps, customer);
  const changed: JsonObject = { ...credentials, ...metadata };
  if (!existing) {
    const body = { ...customer, ...changed };
    return requireObject(await deps.inProject("POST", "/connections:generate", { body }));
  }
  if (Object.keys(changed).length === 0) return existing;
  const path = `/connections/${encodeStep(requireText(existing, "id"))}`;
  const body = { updateMask: Object.keys(changed), connection: changed };
  return requireObject(await deps.inProject("PATCH", path, { body }));
}

async function connectInSteps({ deps, customer, metadata }: Wanted, more: JsonObject): Promise<JsonObject> {
  const body = { projectIdOrName: await deps.project(), ...customer, ...metadata, ...more };
  const answer = await deps.api("POST", "/v1/custom-auth/connect", { body });
  if (getValueAt(answer, "redirect") === undefined) return requireObject(getValueAt(answer, "connection"));
  throw new Failure(
    `${customer.provider} sends the customer to a page and back, which a terminal cannot follow.`,
    {
      remedy: "Connect from a page of your application: docs/guide/connections.md shows how.",
    },
  );
}

function readMetadata(given: string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((one) => {
      const at = one.indexOf("=");
      if (at < 1) throw new UsageFailure(`--metadata takes name=value, not \`${one}\`.`);
      return [one.slice(0, at), one.slice(at + 1)];
    }),
  );
}

/** Asks on a terminal for missing metadata. The server refuses the request if required metadata is still missing. */
async function completeMetadata(
  given: Record<string, string>,
  inputs: Input[],
  terminal: Terminal,
): Promise<JsonObject> {
  const values = { ...given };
  for (const input of inputs) {
    if (values[input.name] !== undefined || !canAsk(terminal)) continue;
    const answer = await askFor(input, terminal);
    if (answer) values[input.name] = answer;
  }
  if (Object.keys(values).length === 0) return {};
  const entries = Object.entries(values).map(([name, value]): [string, Json] => [
    name,
    { value, source: "input" },
  ]);
  return { providerMetadata: Object.fromEntries(entries) };
}

/** Reads what the server knows of a provider: of the project's own one, or of that in the catalog. */
const readProviderInfo = async (deps: Connected, key: string): Promise<JsonObject> =>
  key.startsWith("x-")
    ? requireObject(getValueAt(await deps.inProject("GET", `/providers/${encodeStep(key)}`), "provider"))
    : requireObject(await deps.api("GET", `/v1/providers/${encodeStep(key)}`));
