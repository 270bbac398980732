/** `busbar list installations`: lists resources as a table. */
import type { Command } from "commander";
import { listResourcesWith, findResource } from "../resources/resources.ts";
import { printRows, type Filters } from "../resources/resource.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addFilters, requireKnownFilters } from "./resource-options.ts";

const FILTERS = [
  "integration",
  "installation",
  "group",
  "provider",
  "destination",
  "topic",
  "status",
  "type",
  "object",
  "record",
  "limit",
] as const satisfies (keyof Filters)[];

export function addList(program: Command, terminal: Terminal): void {
  const listable = listResourcesWith("list");
  const list = program
    .command("list <resource>")
    .alias("ls")
    .description("list resources")
    .addHelpText("after", `\nResources: ${listable.map(({ plural }) => plural).join(", ")}`);
  addFilters(list, ...FILTERS).action(async (name: string, filters: Filters, command: Command) =>
    listResource(name, filters, command, terminal),
  );
  // The public command line has the integration as an argument.
  for (const { plural } of listable) {
    const spelled = program.command(`list:${plural} [integration]`, { hidden: true });
    addFilters(spelled, ...FILTERS).action(
      async (integration: string | undefined, filters: Filters, command: Command) =>
        listResource(plural, { ...filters, ...(integration && { integration }) }, command, terminal),
    );
  }
}

async function listResource(
  name: string,
  filters: Filters,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const resource = findResource(name, "list");
  requireKnownFilters(resource, filters);
  const server = await connect(command, terminal);
  await printRows(resource, await resource.list(server, filters), server, filters);
}
