/** `busbar install crm --group acme`: installs an integration for a customer; `uninstall` removes it. */
import type { Command } from "commander";
import { findConnection } from "../connecting/consent.ts";
import { Failure, UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import {
  isObject,
  requireObject,
  requireText,
  getTextAt,
  getValueAt,
  type Json,
  type JsonObject,
  listObjectsAt,
} from "../http/json.ts";
import { buildDefaultConfig, openMappings, type OpenMapping } from "../installing/build-default-config.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { quoteWord } from "../output/shell-word.ts";
import { printRecord } from "../output/print-record.ts";
import { ask, canAsk, choose } from "../prompt.ts";
import { readJsonArgument } from "../read-argument.ts";
import { describeDependents, listInstallationDependents } from "../resources/dependents.ts";
import { findInstallation } from "../resources/find-installation.ts";
import { listUnknownNames } from "../resources/unknown-names.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { collect } from "./resource-options.ts";

interface InstallOptions {
  group: string;
  connection?: string;
  config?: string;
  map?: string[];
}

export function addInstall(program: Command, terminal: Terminal): void {
  program
    .command("install <integration>")
    .description("install an integration for a connected customer")
    .requiredOption("-g, --group <groupRef>", "the customer")
    .option("--connection <id>", "the connection to use (default: the customer's to the provider)")
    .option("--map <name=field>", "the field for a name that the customer maps; may be repeated", collect)
    .option(
      "--config <json>",
      "the whole configuration (`config.content` in the API): JSON, @file, or - for stdin",
    )
    .addHelpText(
      "after",
      "\nWithout --config everything in the manifest is installed, with all fields that it requires. A required field that\n" +
        "the customer has to choose is asked for, unless --map gives it (as object.name=field if objects have the same\n" +
        "name); an optional one is mapped only by --map.",
    )
    .action(async (integration: string, options: InstallOptions, command: Command) => {
      if (options.config !== undefined && options.map)
        throw new UsageFailure("--map completes the default configuration; with --config it has no effect.");
      const given = options.config && (await readJsonArgument("--config", options.config, terminal));
      const deps = await connect(command, terminal);
      const path = `/integrations/${encodeStep(integration)}`;
      const connectionId: JsonObject = options.connection ? { connectionId: options.connection } : {};
      const content = given || (await proposeConfig(path, options, deps, terminal));
      const body = { groupRef: options.group, ...connectionId, config: { content } };
      const made = requireObject(await deps.inProject("POST", `${path}/installations`, { body }));
      await printInstalled(made, integration, deps);
    });
  program
    .command("uninstall <integration>")
    .description("remove an integration from a customer")
    .requiredOption("-g, --group <groupRef>", "the customer")
    .option("-y, --yes", "do not ask")
    .action(async (integration: string, options: { group: string; yes?: boolean }, command: Command) => {
      await uninstall(integration, options, command, terminal);
    });
}

async function proposeConfig(
  path: string,
  options: InstallOptions,
  deps: Connected,
  terminal: Terminal,
): Promise<JsonObject> {
  const integration = requireObject(await deps.inProject("GET", path));
  const provider = requireText(integration, "provider");
  const connectionId = options.connection ?? (await readConnectionId(provider, options.group, deps));
  const revisionId = requireText(integration, "latestRevision.id");
  const hydrated = `${path}/revisions/${encodeStep(revisionId)}:hydrate`;
  const revision = await deps.inProject("GET", hydrated, { query: { connectionId } });
  const mappings = openMappings(revision);
  const chosen = await chooseFields(mappings, options.map ?? [], terminal);
  return buildDefaultConfig(revision, (object, name) => chosen.get(`${object}.${name}`));
}

async function readConnectionId(provider: string, groupRef: string, deps: Connected): Promise<string> {
  const found = await findConnection(deps, { provider, groupRef });
  if (found) return requireText(found, "id");
  const [unknown] = await listUnknownNames(deps, { group: groupRef });
  throw new Failure(unknown ?? `The customer \`${groupRef}\` has no connection to ${provider}.`, {
    remedy: `Run: busbar connect ${quoteWord(provider)} --group ${quoteWord(groupRef)}`,
  });
}

/** Returns the chosen field of each `object.name`. Throws `UsageFailure` for a required name without a field. */
async function chooseFields(
  mappings: OpenMapping[],
  given: string[],
  terminal: Terminal,
): Promise<Map<string, string>> {
  const options = new Map(
    given.map((one): [string, string] => {
      const at = one.indexOf("=");
      if (at < 1) throw new UsageFailure(`--map takes name=field, not \`${one}\`.`);
      return [one.slice(0, at), one.slice(at + 1)];
    }),
  );
  const unknown = [...options.keys()].find(
    (key) => !mappings.some(({ object, name }) => key === name || key === `${object}.${name}`),
  );
  if (unknown !== undefined) {
    const names = mappings.map(({ object, name }) => `${object}.${name}`).join(", ") || "none";
    throw new UsageFailure(`\`${unknown}\` is not a name to map. Names to map: ${names}.`);
  }
  const chosen = new Map<string, string>();
  for (const { object, name, isRequired, question, proposed, fields } of mappings) {
    const place = `${object}.${name}`;
    const named = options.get(place) ?? options.get(name);
    const field =
      named ??
      (isRequired && canAsk(terminal) ? await ask(terminal, escapeUnsafe(question), proposed) : proposed);
    if (field && (isRequired || named)) chosen.set(place, field);
    else if (isRequired) {
      const some =
        fields.length > 0
          ? ` Fields: ${fields.slice(0, 20).join(", ")}${fields.length > 20 ? ", …" : ""}.`
          : "";
      throw new UsageFailure(`\`${name}\` of ${object} needs a field. Give --map ${name}=<field>.${some}`);
    }
  }
  return chosen;
}

async function printInstalled(made: JsonObject, integration: string, { out }: Connected): Promise<void> {
  if (out.json) return out.data(made);
  const [id, group] = [requireText(made, "id"), getTextAt(made, "group.groupRef") ?? ""];
  out.line(`${out.paint.green("installed")} ${escapeUnsafe(integration)} for ${escapeUnsafe(group)}`);
  const content: Json = getValueAt(made, "config.content") ?? {};
  const { provider: _, ...objects } = isObject(content) ? content : {};
  const isUnhealthy = getTextAt(made, "healthStatus") === "unhealthy";
  await printRecord(
    { installation: id, connection: getTextAt(made, "connection.id") ?? "", ...objects },
    out,
  );
  for (const warning of listObjectsAt(made, "warnings")) {
    const [name, detail, remedy] = ["name", "detail", "remedy"].map((member) =>
      escapeUnsafe(getTextAt(warning, member) ?? ""),
    );
    out.note(`warning: ${name}: ${detail} ${remedy}`);
  }
  if (!isUnhealthy) return;
  const reasons = listObjectsAt(made, "healthReasons").map((reason) =>
    ["type", "name", "detail"].map((member) => getTextAt(reason, member) ?? "").join(" "),
  );
  throw new Failure(`The installation is unhealthy: ${reasons.join("; ")}`, {
    remedy: `Look for what is to do with: busbar doctor. Connect the customer again with: busbar connect ${getTextAt(made, "config.content.provider") ?? "<provider>"} --group ${quoteWord(group)}`,
  });
}

async function uninstall(
  integration: string,
  { group, yes }: { group: string; yes?: boolean },
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const takesAlong = "its connection, unless another installation uses it";
  if (!yes && !canAsk(terminal)) {
    throw new UsageFailure(
      `Uninstalling also deletes ${takesAlong}. There is no terminal to ask for confirmation.`,
      {
        remedy: "Confirm with --yes.",
      },
    );
  }
  const deps = await connect(command, terminal);
  const path = await findInstallation(deps, { integration, group });
  const question = `Uninstall ${escapeUnsafe(integration)} for ${escapeUnsafe(group)}, and also delete ${takesAlong}?${yes ? "" : await describeDependents(listInstallationDependents, deps, path.split("/").at(-1) ?? "", {})}`;
  if (!yes && (await choose(terminal, question, "yn")) === "n") return deps.out.note("kept");
  await deps.inProject("DELETE", path);
  if (deps.out.json) deps.out.item({ uninstalled: integration, group });
  else
    deps.out.line(
      `${deps.out.paint.green("uninstalled")} ${escapeUnsafe(integration)} for ${escapeUnsafe(group)}`,
    );
}
