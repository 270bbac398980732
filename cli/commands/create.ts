/** `busbar create destination …`: creates what a builder needs before the first customer can connect. */
import type { Command } from "commander";
import { UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import {
  isObject,
  requireObject,
  requireObjects,
  requireText,
  getTextAt,
  type JsonObject,
} from "../http/json.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { printRecord } from "../output/print-record.ts";
import { askHidden, canAsk } from "../prompt.ts";
import { readDocument } from "../manifest/read-manifest.ts";
import { readArgument, readJsonArgument } from "../read-argument.ts";
import { findTopic } from "../resources/resources.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addKeyLimits, readKeyLimits, type KeyLimitOptions } from "./key-limit-options.ts";
import { collect } from "./resource-options.ts";

export interface DestinationOptions {
  type?: string;
  webhook?: string;
  metadata?: string;
  secrets?: string;
}

export interface ProviderAppOptions {
  clientId?: string;
  clientSecret?: string;
  scope?: string[];
}

export function addCreate(program: Command, terminal: Terminal): void {
  const create = program
    .command("create")
    .description("create a destination, topic, route, provider, provider app or API key");
  addCreateDestination(create, terminal);
  addCreateRoutes(create, terminal);
  create
    .command("provider-app <provider>")
    .description("register your OAuth client of a provider")
    .requiredOption("--client-id <id>", "the id that the provider issued")
    .option("--client-secret <secret>", "@file, or - for stdin; without it you are asked")
    .option("--scope <scope>", "a scope to request from customers; may be repeated", collect)
    .action(async (provider: string, options: ProviderAppOptions, command: Command) => {
      const clientSecret = await readSecret(options.clientSecret, terminal);
      const server = await connect(command, terminal);
      const scopes = options.scope && { scopes: options.scope };
      const body = { provider, clientId: options.clientId ?? "", clientSecret, ...scopes };
      const created = await server.inProject("POST", "/provider-apps", { body });
      await printCreated(created, "provider app", server);
      await noteOlderApps(server, provider);
    });
  create
    .command("provider <key> <file>")
    .description("add or replace a provider of your own, from a file of YAML or JSON")
    .option("--dry-run", "check the file and store nothing")
    .action(async (key: string, path: string, options: { dryRun?: boolean }, command: Command) => {
      const body = await readDocument(path, terminal.cwd);
      const server = await connect(command, terminal);
      const query = { dryRun: options.dryRun ? "true" : undefined };
      const stored = requireObject(
        await server.inProject("PUT", `/providers/${encodeStep(key)}`, { body, query }),
      );
      if (!server.out.json)
        server.out.note(
          options.dryRun ? `provider ${key} is valid; nothing was stored` : `stored provider ${key}`,
        );
      await printRecord(stored, server.out);
    });
  addCreateApiKey(create, terminal);
}

/** Warns of older apps of the same provider: a new secret for an old client is an update, not a further provider app. */
async function noteOlderApps(server: Connected, provider: string): Promise<void> {
  const apps = requireObjects(await server.inProject("GET", "/provider-apps"));
  if (apps.filter((app) => getTextAt(app, "provider") === provider).length < 2) return;
  server.out.note(
    `the project has an older provider app for ${provider}, which is used unless a request names another; change its secret with: busbar update provider-app <id> --client-secret -`,
  );
}

function addCreateApiKey(create: Command, terminal: Terminal): void {
  const command = create
    .command("api-key <label>")
    .description("create an API key; it is shown only once")
    .option(
      "--scope <scope>",
      "full (default), frontend, write, read, proxy or read-only; may be repeated",
      collect,
    );
  addKeyLimits(command).action(
    async (label: string, options: KeyLimitOptions & { scope?: string[] }, self: Command) => {
      const server = await connect(self, terminal);
      const body = { label, ...(options.scope && { scopes: options.scope }), ...readKeyLimits(options) };
      await printCreated(await server.inProject("POST", "/api-keys", { body }), "API key", server);
      server.out.note("this is the only time the key is shown");
    },
  );
}

function addCreateDestination(create: Command, terminal: Terminal): void {
  create
    .command("destination <name>")
    .description("create a destination for events")
    .option("--webhook <url>", "URL of a webhook")
    .option("--type <type>", "another type, for example slack, s3, log")
    .option("--metadata <json>", "the type's settings: JSON, @file, or - for stdin")
    .option("--secrets <json>", "the type's secrets: @file, or - for stdin")
    .action(async (name: string, options: DestinationOptions, command: Command) => {
      const { webhook, type = webhook === undefined ? undefined : "webhook" } = options;
      if (!type) throw new UsageFailure("Give --webhook with a URL, or --type and --metadata.");
      const settings = await readSettings(options, terminal);
      if (type === "webhook" && !settings.metadata) {
        throw new UsageFailure("Give the webhook's URL with --webhook; --url is the address of Busbar.");
      }
      const server = await connect(command, terminal);
      const body = { name, type, metadata: {}, ...settings };
      await printCreated(await server.inProject("POST", "/destinations", { body }), "destination", server);
    });
}

function addCreateRoutes(create: Command, terminal: Terminal): void {
  create
    .command("topic <name>")
    .description("create a topic, which connects event types with destinations")
    .action(async (name: string, _: object, command: Command) => {
      const server = await connect(command, terminal);
      await printCreated(await server.inProject("POST", "/topics", { body: { name } }), "topic", server);
    });
  create
    .command("event-route <eventType> <topic>")
    .description("route events of a type to a topic")
    .action(async (eventType: string, topic: string, _: object, command: Command) => {
      const server = await connect(command, terminal);
      const body = { eventType, topicId: requireText(await findTopic(server, topic), "id") };
      await printCreated(
        await server.inProject("POST", "/notification-event-topic-routes", { body }),
        "route",
        server,
      );
    });
  create
    .command("destination-route <topic> <destination>")
    .description("route a topic to a destination")
    .action(async (topic: string, destination: string, _: object, command: Command) => {
      const server = await connect(command, terminal);
      const topicId = requireText(await findTopic(server, topic), "id");
      const found = await server.inProject("GET", `/destinations/${encodeStep(destination)}`);
      const body = { topicId, destinationId: requireText(found, "id") };
      await printCreated(
        await server.inProject("POST", "/topic-destination-routes", { body }),
        "route",
        server,
      );
    });
}

/** Combines `--webhook` and `--metadata`. A member is undefined if no option gives it. */
export async function readSettings(
  { webhook, metadata, secrets }: DestinationOptions,
  terminal: Terminal,
): Promise<{ metadata?: JsonObject; secrets?: JsonObject }> {
  // Every user of the machine can read the command line of a process.
  if (secrets !== undefined && !/^[@-]/.test(secrets))
    throw new UsageFailure("--secrets takes @file, or - for stdin.");
  const given = metadata === undefined ? {} : await readObject("--metadata", metadata, terminal);
  const all = { ...given, ...(webhook !== undefined && { url: webhook }) };
  return {
    ...(Object.keys(all).length > 0 && { metadata: all }),
    ...(secrets !== undefined && { secrets: await readObject("--secrets", secrets, terminal) }),
  };
}

async function readObject(option: string, given: string, terminal: Terminal): Promise<JsonObject> {
  const value = await readJsonArgument(option, given, terminal);
  if (isObject(value)) return value;
  throw new UsageFailure(`${option} must give a JSON object.`);
}

/** Reads a secret from a file, from stdin, or from a prompt without echo. */
export async function readSecret(given: string | undefined, terminal: Terminal): Promise<string> {
  if (given === undefined && canAsk(terminal)) return askHidden(terminal, "Client secret (not shown)");
  if (given === undefined) throw new UsageFailure("Give --client-secret @file, or - for stdin.");
  if (!/^[@-]/.test(given)) throw new UsageFailure("--client-secret takes @file, or - for stdin.");
  return (await readArgument(given, terminal)).toString().trim();
}

async function printCreated(
  answer: Awaited<ReturnType<Connected["api"]>>,
  what: string,
  { out }: Connected,
): Promise<void> {
  const made = requireObject(answer);
  if (!out.json) out.note(`created ${what} ${escapeUnsafe(getTextAt(made, "id") ?? "")}`);
  await printRecord(made, out);
}
