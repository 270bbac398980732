/** `busbar validate`: checks a manifest without a server and prints each error with place and remedy. */
import type { Command } from "commander";
import { Ended } from "../failures.ts";
import { readManifest } from "../manifest/read-manifest.ts";
import type { ServerFacts } from "../manifest/server-facts.ts";
import { listFindingLines, summarizeFindings } from "../manifest/report-findings.ts";
import { createOutput } from "../output/output.ts";
import { connect } from "../settings/connect.ts";
import type { GlobalOptions } from "../settings/target.ts";
import type { Terminal } from "../terminal.ts";

export function addValidate(program: Command, terminal: Terminal): void {
  program
    .command("validate [path]")
    .description("check a manifest, offline")
    .option("--strict", "fail on warnings too")
    .option("--online", "also check against the server's providers, destinations and provider apps")
    .addHelpText(
      "after",
      "\nThe path is a file, a folder with an amp.yaml (default: the current folder), or - for stdin.",
    )
    .action(
      async (path: string | undefined, options: { strict?: boolean; online?: boolean }, command: Command) => {
        const globals: GlobalOptions = command.optsWithGlobals();
        const out = createOutput(terminal, globals);
        const file = await readManifest(path ?? ".", terminal);
        // Imported only here, because the checks and the catalog are half of the program's code.
        const { validate } = await import("../manifest/validate.ts");
        const findings = validate(
          file.source,
          options.online ? await askServer(command, terminal) : undefined,
          file.providers,
        );
        if (out.json) {
          out.data(findings.map(({ file: own, ...rest }) => ({ file: (own ?? file).shown, ...rest })));
        } else {
          for (const line of listFindingLines(findings, file, out.paint)) out.line(line);
          out.line(summarizeFindings(findings, file.shown, out.paint));
        }
        const fails = findings.some(({ severity }) => severity === "error" || options.strict);
        if (fails) throw new Ended();
      },
    );
}

async function askServer(command: Command, terminal: Terminal): Promise<ServerFacts> {
  const { readServerFacts } = await import("../manifest/server-facts.ts");
  return readServerFacts(await connect(command, terminal));
}
