/** `busbar get destination my-app`: shows one resource with all members. */
import type { Command } from "commander";
import { printRecord } from "../output/print-record.ts";
import type { Filters } from "../resources/resource.ts";
import { listResourcesWith, findResource } from "../resources/resources.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addFilters } from "./resource-options.ts";

const FILTERS = ["integration", "destination", "includeSecrets"] as const satisfies (keyof Filters)[];

export function addGet(program: Command, terminal: Terminal): void {
  const gettable = listResourcesWith("get");
  const get = program
    .command("get <resource> <idOrName>")
    .description("show one resource with all members")
    .addHelpText("after", `\nResources: ${gettable.map(({ singular }) => singular).join(", ")}`);
  addFilters(get, ...FILTERS).action(async (name: string, id: string, filters: Filters, command: Command) =>
    getResource(name, id, filters, command, terminal),
  );
  for (const { singular } of gettable) {
    const spelled = program.command(`get:${singular} <idOrName>`, { hidden: true });
    addFilters(spelled, ...FILTERS).action(async (id: string, filters: Filters, command: Command) =>
      getResource(singular, id, filters, command, terminal),
    );
  }
}

async function getResource(
  name: string,
  id: string,
  filters: Filters,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const resource = findResource(name, "get");
  const server = await connect(command, terminal);
  await printRecord(await resource.get(server, id, filters), server.out);
}
