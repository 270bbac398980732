/** `busbar whoami`: shows the server, project and key in use, and where they are configured. */
import type { Command } from "commander";
import { findOwnKey } from "../settings/own-key.ts";
import { connect } from "../settings/connect.ts";
import { requireObject, requireText, getTextAt } from "../http/json.ts";
import { encodeStep } from "../http/api.ts";
import { printRecord } from "../output/print-record.ts";
import type { Terminal } from "../terminal.ts";

export function addWhoami(program: Command, terminal: Terminal): void {
  program
    .command("whoami")
    .description("show the server, project and key in use, and where they are configured")
    .action(async (_: object, command: Command) => {
      const deps = await connect(command, terminal);
      const { api, target, out } = deps;
      const project = requireObject(await api("GET", `/v1/projects/${encodeStep(await deps.project())}`));
      const key = await findOwnKey(deps);
      const version = getTextAt(await api("GET", "/openapi.json"), "info.version");
      await printRecord(
        {
          server: target.origin,
          apiVersion: version ?? null,
          project: { name: requireText(project, "name"), id: requireText(project, "id") },
          key: { ...key },
          settings: { server: target.from.address ?? null, key: target.from.apiKey ?? null },
        },
        out,
      );
    });
}
