/** `busbar find <text>`: shows what an id or a name leads to. */
import type { Command } from "commander";
import { Ended } from "../failures.ts";
import { listObjectsAt } from "../http/json.ts";
import { id, status, text } from "../resources/resource.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";

const COLUMNS = {
  KIND: text("kind"),
  NAME: text("name"),
  HEALTH: status("healthStatus"),
  ID: id("id"),
  BELOW: id("in"),
};

export function addFind(program: Command, terminal: Terminal): void {
  program
    .command("find <text>")
    .description("find what an id or a name leads to; exit code 1 if there is nothing")
    .action(async (q: string, _: object, command: Command) => {
      const { inProject, out } = await connect(command, terminal);
      const found = listObjectsAt(await inProject("GET", "/find", { query: { q } }), "results");
      out.rows(found, COLUMNS, "Nothing was found.");
      if (found.length === 0) throw new Ended();
    });
}
