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
  for (const { singular } of deletable) {
    // `delete:installation <integration> <installation>` is the public command line's order.
    const inside = singular === "installation" ? "<integration> " : "";
    const spelled = program
      .command(`delete:${singular} ${inside}<idOrName>`, { hidden: true })
      .option("-y, --yes", "do not ask");
    spelled.action(async (...given: unknown[]) => {
      const [first, second] = spelled.args;
      const ids = inside ? [second ?? ""] : [first ?? ""];
      const options: DeleteOptions = { ...spelled.opts(), ...(inside && { integration: first }) };
      await deleteResources(singular, ids, options, given.at(-1) as Command, terminal);
    });
  }
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
