/** `busbar logs <operation>`: prints the log of an operation, and with --follow new entries until it ends. */
import type { Command } from "commander";
import { pause } from "../clock.ts";
import { encodeStep } from "../http/api.ts";
import { isObject, requireObjects, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import type { Output } from "../output/output.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { getOperation, isRunning } from "./operations.ts";

const PAUSE_MS = 1_000;

export function addLogs(program: Command, terminal: Terminal): void {
  program
    .command("logs <operation>")
    .description("show the log of an operation")
    .option("-f, --follow", "keep printing until the operation ends")
    .action(async (id: string, options: { follow?: boolean }, command: Command) => {
      const server = await connect(command, terminal);
      const logs = async () =>
        requireObjects(await server.inProject("GET", `/operations/${encodeStep(id)}/logs`));
      if (!options.follow) {
        const steps = await logs();
        if (server.out.json) return server.out.data(steps);
        return steps.forEach((one) => printStep(one, server.out));
      }
      const interrupted = terminal.catchInterrupt();
      let reported = 0;
      for (;;) {
        // In this order no log entry is missed: the operation is known to have ended before its log is read.
        const running = isRunning(await getOperation(server, id));
        const steps = await logs();
        for (const one of steps.slice(reported)) {
          if (server.out.json) server.out.item(one);
          else printStep(one, server.out);
        }
        reported = Math.max(reported, steps.length);
        if (!running || !(await pause(PAUSE_MS, interrupted))) return;
      }
    });
}

function printStep(one: JsonObject, out: Output): void {
  const { paint } = out;
  const severity = (getTextAt(one, "severity") ?? "").toLowerCase();
  const colour = /error|critical/.test(severity)
    ? paint.red
    : severity === "warning"
      ? paint.yellow
      : paint.blue;
  const details = getValueAt(one, "message.details");
  const rest = isObject(details)
    ? Object.entries(details).map(([name, value]) => `${name}=${String(value)}`)
    : [];
  const error = getTextAt(one, "message.error");
  out.line(
    [
      paint.dim(getTextAt(one, "timestamp") ?? ""),
      colour(escapeUnsafe(severity).padEnd(7)),
      escapeUnsafe(getTextAt(one, "message.msg") ?? ""),
      ...(error === undefined ? [] : [paint.red(escapeUnsafe(error))]),
      ...(rest.length === 0 ? [] : [paint.dim(escapeUnsafe(rest.join(" ")))]),
    ].join("  "),
  );
}
