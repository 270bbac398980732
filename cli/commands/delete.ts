/** `busbar delete installation <id>`: deletes resources. If others are deleted with it, asks first or needs `--yes`. */
import type { Command } from "commander";
import { UsageFailure } from "../failures.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { canAsk, choose } from "../prompt.ts";
import type { Filters } from "../resources/resource.ts";
import { describeDependents } from "../resources/dependents.ts";
import { listResourcesWith, findResource } from "../resources/resources.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addFilters } from "./resource-options.ts";

interface DeleteOptions extends Filters {
  yes?: boolean;
}

export function addDelete(program: Command, terminal: Terminal): void {
  const deletable = listResourcesWith("remove");
  const remove = program
    .command("delete <resource> <idOrName...>")
    .description("delete resources")
    .option("-y, --yes", "do not ask")
    .addHelpText("after", `\nResources: ${deletable.map(({ singular }) => singular).join(", ")}`);
  addFilters(remove, "integration").action(
    async (name: string, ids: string[], options: DeleteOptions, command: Command) =>
      deleteResources(name, ids, options, command, terminal),
  );
  // The public command line does not ask, so scripts written for it do not pass --yes.
  const withoutQuestion = (options: DeleteOptions) => ({ ...options, yes: options.yes || !canAsk(terminal) });
  const declare = (name: string) => program.command(name, { hidden: true }).option("-y, --yes", "do not ask");
  for (const { singular } of deletable) {
    if (singular === "installation") continue;
    declare(`delete:${singular} <idOrName>`).action(
      async (id: string, options: DeleteOptions, command: Command) =>
        deleteResources(singular, [id], withoutQuestion(options), command, terminal),
    );
  }
  // The public command line names the integration first.
  declare("delete:installation <integration> <id>").action(
    async (integration: string, id: string, options: DeleteOptions, command: Command) =>
      deleteResources("installation", [id], { ...withoutQuestion(options), integration }, command, terminal),
  );
}

async function deleteResources(
  name: string,
  ids: string[],
  options: DeleteOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const { remove, singular, takesAlong, listDependents } = findResource(name, "remove");
  const asks = takesAlong !== undefined && !options.yes;
  if (asks && !canAsk(terminal)) {
    throw new UsageFailure(
      `Deleting ${singular === "integration" || singular === "installation" ? "an" : "a"} ${singular} also deletes ${takesAlong}. There is no terminal to ask for confirmation.`,
      {
        remedy: "Confirm with --yes.",
      },
    );
  }
  const server = await connect(command, terminal);
  for (const id of ids) {
    if (asks) {
      const question = `Delete the ${singular} ${escapeUnsafe(id)}, and also ${takesAlong}?${await describeDependents(listDependents, server, id, options)}`;
      if ((await choose(terminal, question, "yn")) === "n") {
        server.out.note(`kept ${singular} ${escapeUnsafe(id)}`);
        continue;
      }
    }
    await remove(server, id, options);
    if (server.out.json) server.out.item({ deleted: singular, id });
    else server.out.line(`${server.out.paint.green("deleted")} ${singular} ${escapeUnsafe(id)}`);
  }
}
