/** `busbar pause crm --group acme`: stops reading a customer's objects by schedule; `unpause` resumes it. */
import type { Command } from "commander";
import { encodeStep } from "../http/api.ts";
import { requireObject, getValueAt, type JsonObject } from "../http/json.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { findInstallation } from "../resources/find-installation.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { collect } from "./resource-options.ts";

interface PauseOptions {
  group: string;
  object?: string[];
  note?: string;
}

export function addPause(program: Command, terminal: Terminal): void {
  for (const [verb, done, description] of [
    ["pause", "paused", "stop reading a customer's objects by schedule, until unpause"],
    ["unpause", "resumed", "resume reading by schedule; changes of the meantime are read at once"],
  ] as const) {
    const command = program
      .command(`${verb} <integration>`)
      .description(description)
      .requiredOption("-g, --group <groupRef>", "the customer")
      .option("--object <name>", "only this object; may be repeated (default: all)", collect);
    if (verb === "pause") command.option("--note <text>", "why; shown in the installation");
    command.action(async (integration: string, options: PauseOptions, self: Command) => {
      const { group, object, note } = options;
      const server = await connect(self, terminal);
      const path = await findInstallation(server, { integration, group });
      const body: JsonObject = { ...(object && { objects: object }), ...(note !== undefined && { note }) };
      await server.api("POST", `/read/v1/projects/${encodeStep(await server.project())}${path}:${verb}`, {
        body,
      });
      if (server.out.json) {
        const installation = requireObject(await server.inProject("GET", path));
        return server.out.data(getValueAt(installation, "readPauses") ?? []);
      }
      const what = object ? escapeUnsafe(object.join(", ")) : "all objects";
      const customer = `${escapeUnsafe(integration)} for ${escapeUnsafe(group)}`;
      server.out.line(`${server.out.paint.green(done)} ${what} of ${customer}`);
    });
  }
}
