/** `busbar update destination …`: changes the given members of a resource. */
import { Option, type Command } from "commander";
import { UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { requireObject, requireText, type JsonObject } from "../http/json.ts";
import { printRecord } from "../output/print-record.ts";
import { findApiKey, findProviderApp } from "../resources/resources.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { readSecret, readSettings, type DestinationOptions, type ProviderAppOptions } from "./create.ts";
import { addKeyLimits, readKeyLimits, type KeyLimitOptions } from "./key-limit-options.ts";
import { collect } from "./resource-options.ts";

export function addUpdate(program: Command, terminal: Terminal): void {
  const update = program.command("update").description("change a destination, provider app or API key");
  update
    .command("destination <idOrName>")
    .description("change a destination; a new URL enables a disabled one")
    .option("--name <name>", "a new name")
    .option("--webhook <url>", "a new URL")
    .option("--metadata <json>", "settings to change: JSON, @file, or - for stdin; null removes a setting")
    .option("--secrets <json>", "secrets to change: @file, or - for stdin")
    .action(async (name: string, options: DestinationOptions & { name?: string }, command: Command) => {
      const settings = await readSettings(options, terminal);
      const mask = Object.entries(settings).flatMap(([group, members]) =>
        Object.keys(members ?? {}).map((member) => `${group}.${member}`),
      );
      const change = { ...settings, ...(options.name !== undefined && { name: options.name }) };
      if (options.name !== undefined) mask.push("name");
      await patch(() => `/destinations/${encodeStep(name)}`, "destination", change, mask, command, terminal);
    });
  update
    .command("provider-app <idOrProvider>")
    .description("change your OAuth client of a provider")
    .option("--client-id <id>")
    .option("--client-secret <secret>", "@file, or - for stdin")
    .option("--scope <scope>", "replaces all scopes; may be repeated", collect)
    .action(async (id: string, options: ProviderAppOptions, command: Command) => {
      const { clientId, clientSecret, scope } = options;
      const change = {
        ...(clientId !== undefined && { clientId }),
        ...(clientSecret !== undefined && { clientSecret: await readSecret(clientSecret, terminal) }),
        ...(scope && { scopes: scope }),
      };
      await patch(
        async (deps) => `/provider-apps/${requireText(await findProviderApp(deps, id), "id")}`,
        "providerApp",
        change,
        Object.keys(change),
        command,
        terminal,
      );
    });
  addUpdateApiKey(update, terminal);
}

function addUpdateApiKey(update: Command, terminal: Terminal): void {
  const command = update
    .command("api-key <idOrLabel>")
    .description("change an API key")
    .option("--label <label>")
    .addOption(new Option("--active <yes>", "false disables the key").choices(["true", "false"]));
  addKeyLimits(command)
    .addOption(new Option("--never-expires", "let the key not expire any more").conflicts("expires"))
    .addOption(new Option("--allow-all", "let every address use the key again").conflicts("allow"))
    .option("--no-rate", "remove the rate limit")
    .action(async (id: string, options: UpdateKeyOptions, self: Command) => {
      const { label, active, allowAll, neverExpires } = options;
      const change = {
        ...(label !== undefined && { label }),
        ...(active && { active: active === "true" }),
        ...readKeyLimits(options),
        ...(neverExpires && { expireTime: null }),
        ...(allowAll && { allowedAddresses: [] }),
      };
      await patch(
        async (deps) => `/api-keys/${requireText(await findApiKey(deps, id), "id")}`,
        "apiKey",
        change,
        Object.keys(change),
        self,
        terminal,
      );
    });
}

interface UpdateKeyOptions extends KeyLimitOptions {
  label?: string;
  active?: string;
  allowAll?: boolean;
  neverExpires?: boolean;
}

async function patch(
  pathOn: (deps: Connected) => string | Promise<string>,
  member: string,
  change: JsonObject,
  updateMask: string[],
  command: Command,
  terminal: Terminal,
): Promise<void> {
  if (updateMask.length === 0)
    throw new UsageFailure("Nothing to change: give at least one option; --help lists them.");
  const server = await connect(command, terminal);
  const answer = await server.inProject("PATCH", await pathOn(server), {
    body: { updateMask, [member]: change },
  });
  await printRecord(requireObject(answer), server.out);
}
