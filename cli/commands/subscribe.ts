/** `busbar subscribe`: prints what HubSpot needs to push changes, or compares a file with it. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { Ended, Failure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import {
  isObject,
  listObjectsAt,
  parseJson,
  requireObject,
  getTextAt,
  getValueAt,
  type Json,
} from "../http/json.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";

export function addSubscribe(program: Command, terminal: Terminal): void {
  program
    .command("subscribe")
    .description("register for the changes that a provider pushes")
    .command("hubspot-config <integration>")
    .description(
      "print the file webhooks-hsmeta.json for your HubSpot project; upload it with `hs project upload`",
    )
    .option("--check <file>", "compare this file with it instead; exit code 1 if something is missing")
    .action(async (integration: string, { check }: { check?: string }, command: Command) => {
      const server = await connect(command, terminal);
      const setup = requireObject(
        await server.inProject("GET", `/integrations/${encodeStep(integration)}/subscribe-setup`),
      );
      const config = getValueAt(setup, "webhooksConfig");
      if (!isObject(config)) {
        throw new Failure(`The provider of ${integration} takes no such file.`, {
          remedy: "Name an integration with HubSpot whose manifest has `subscribe`.",
        });
      }
      if (getValueAt(setup, "publicAddress") !== true) {
        server.out.note(
          `HubSpot cannot reach ${getTextAt(setup, "callbackURL")}: set BUSBAR_PUBLIC_URL to a public https origin`,
        );
      }
      if (check !== undefined)
        return printDifference(await readConfig(resolve(terminal.cwd, check)), config, server);
      server.out.data(config);
    });
}

async function readConfig(file: string): Promise<Json> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure(`Cannot read ${file}: ${why}.`, {
      remedy: "Name the file webhooks-hsmeta.json.",
      cause,
    });
  });
  const config = parseJson(text);
  if (isObject(config)) return config;
  throw new Failure(`${file} is not a JSON object.`, { remedy: "Name the file webhooks-hsmeta.json." });
}

function printDifference(actual: Json, wanted: Json, { out }: Connected): void {
  const missing: string[] = [];
  const url = "config.settings.targetUrl";
  const [is, should] = [getTextAt(actual, url) ?? "", getTextAt(wanted, url) ?? ""];
  if (is !== should) missing.push(`targetUrl is ${is || "absent"}, not ${should}`);
  const known = listSubscribed(actual);
  for (const one of listSubscribed(wanted)) if (!known.has(one)) missing.push(`missing: ${one}`);
  if (out.json) out.data({ differences: missing });
  else if (missing.length === 0) out.line(`${out.paint.green("complete")}`);
  else for (const line of missing) out.line(escapeUnsafe(line));
  if (missing.length > 0) throw new Ended();
}

/** Lists the active subscriptions, one text each. Older files name the object `objectName`. */
const listSubscribed = (config: Json): Set<string> =>
  new Set(
    ["crmObjects", "legacyCrmObjects", "hubEvents"]
      .flatMap((list) => listObjectsAt(config, `config.subscriptions.${list}`))
      .filter((one) => getValueAt(one, "active") !== false)
      .map((one) =>
        [
          getTextAt(one, "subscriptionType"),
          getTextAt(one, "objectType") ?? getTextAt(one, "objectName"),
          getTextAt(one, "propertyName"),
        ]
          .filter((part) => part !== undefined)
          .join(" "),
      ),
  );
