/** `busbar delete installation <id>`: removes things; a person is asked first where more goes than was named. */
import type { Command } from "commander";
import { printable } from "../output/printable.ts";
import { canAsk, choose } from "../prompt.ts";
import type { Filters } from "../resources/resource.ts";
import { ableTo, findResource } from "../resources/resources.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addFilters } from "./resource-options.ts";

interface DeleteOptions extends Filters {
  yes?: boolean;
}

export function addDelete(program: Command, terminal: Terminal): void {
  const deletable = ableTo("remove");
  const remove = program
    .command("delete <resource> <idOrName...>")
    .description("delete resources")
    .option("-y, --yes", "do not ask")
    .addHelpText("after", `\nResources: ${deletable.map(({ singular }) => singular).join(", ")}`);
  addFilters(remove, "integration").action(
    async (name: string, ids: string[], options: DeleteOptions, command: Command) =>
      deleteResources(name, ids, options, command, terminal),
  );
  const spelled = (name: string) => program.command(name, { hidden: true }).option("-y, --yes", "do not ask");
  for (const { singular } of deletable) {
    if (singular === "installation") continue;
    spelled(`delete:${singular} <idOrName>`).action(
      async (id: string, options: DeleteOptions, command: Command) =>
        deleteResources(singular, [id], options, command, terminal),
    );
  }
  // The public command line names the integration first.
  spelled("delete:installation <integration> <id>").action(
    async (integration: string, id: string, options: DeleteOptions, command: Command) =>
      deleteResources("installation", [id], { ...options, integration }, command, terminal),
  );
}

async function deleteResources(
  name: string,
  ids: string[],
  options: DeleteOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const { remove, singular, takesAlong } = findResource(name, "remove");
  const on = await connect(command, terminal);
  for (const id of ids) {
    if (takesAlong && !options.yes && canAsk(terminal)) {
      const question = `Delete the ${singular} ${printable(id)}, and with it ${takesAlong}?`;
      if ((await choose(terminal, question, "yn")) === "n") {
        on.out.note(`kept ${singular} ${printable(id)}`);
        continue;
      }
    }
    await remove(on, id, options);
    if (on.out.json) on.out.item({ deleted: singular, id });
    else on.out.line(`${on.out.paint.green("deleted")} ${singular} ${printable(id)}`);
  }
}
