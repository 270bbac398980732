/** `busbar check connection`, `busbar check provider` and `busbar cancel operation`. */
import type { Command } from "commander";
import { Ended } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { requireObject, textAt } from "../http/json.ts";
import { printRecord } from "../output/print-record.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { Refused } from "../http/refused.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addCheckProvider } from "./check-provider.ts";
import { getOperation, isRunning } from "./operations.ts";

export function addCheck(program: Command, terminal: Terminal): void {
  const check = program.command("check").description("check a connection, or the file of a provider");
  addCheckProvider(check, terminal);
  check
    .command("connection <id>")
    .description("ask the provider whether the credentials work; exit code 1 if the connection does not work")
    .action(async (id: string, _: object, command: Command) => {
      const { inProject, out } = await connect(command, terminal);
      const answer = requireObject(await inProject("POST", `/connections/${encodeStep(id)}:check`));
      const works = textAt(answer, "status") === "working";
      if (out.json) out.data(answer);
      else {
        const why = textAt(answer, "check.detail") ?? textAt(answer, "check.result") ?? "";
        const paint = works ? out.paint.green : out.paint.red;
        out.line(`${paint(escapeUnsafe(textAt(answer, "status") ?? ""))} ${escapeUnsafe(why)}`.trimEnd());
      }
      if (!works) throw new Ended();
    });
  program
    .command("cancel")
    .description("cancel an operation")
    .command("operation <id>")
    .description("cancel a read, or a write that waits")
    .action(async (id: string, _: object, command: Command) => {
      const { inProject, out } = await connect(command, terminal);
      try {
        await printRecord(
          requireObject(await inProject("POST", `/operations/${encodeStep(id)}:cancel`)),
          out,
        );
      } catch (error) {
        // If it has ended, it does not run any more: that is what was asked for.
        const operation = await getOperation({ inProject }, id);
        if (!(error instanceof Refused && error.status === 409) || isRunning(operation)) throw error;
        out.note("the operation has ended already");
        await printRecord(operation, out);
      }
    });
}
