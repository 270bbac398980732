/** `busbar init`: writes a first manifest. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { Failure, UsageFailure } from "../failures.ts";
import type { StarterManifest } from "../manifest/starter-manifest.ts";
import { createOutput } from "../output/output.ts";
import { quoteWord } from "../output/shell-word.ts";
import { ask, canAsk } from "../prompt.ts";
import type { GlobalOptions } from "../settings/target.ts";
import type { Terminal } from "../terminal.ts";
import { collect } from "./resource-options.ts";

interface InitOptions {
  provider?: string;
  object?: string[];
  name?: string;
  force?: boolean;
}

export function addInit(program: Command, terminal: Terminal): void {
  program
    .command("init [folder]")
    .description("write a first manifest")
    .option("--provider <key>", "the provider, for example hubspot")
    .option("--object <name>", "an object to write; may be repeated", collect)
    .option("--name <name>", "name of the integration (default: the provider's key)")
    .option("--force", "overwrite an existing amp.yaml")
    .addHelpText("after", "\nOn a terminal it asks for missing options.")
    .action(async (folder: string | undefined, options: InitOptions, command: Command) => {
      const globals: GlobalOptions = command.optsWithGlobals();
      const out = createOutput(terminal, globals);
      const { writeStarterManifest } = await import("../manifest/starter-manifest.ts");
      const text = writeStarterManifest(await complete(options, terminal));
      const shown = join(folder ?? ".", "amp.yaml");
      await write(resolve(terminal.cwd, shown), text, shown, options.force === true);
      if (out.json) return out.data({ path: shown });
      out.line(`${out.paint.green("wrote")} ${shown}`);
      out.note(`next: busbar validate ${folder === undefined ? "" : quoteWord(folder)}`.trimEnd());
    });
}

async function complete(options: InitOptions, terminal: Terminal): Promise<StarterManifest> {
  const { findProvider } = await import("../manifest/starter-manifest.ts");
  const given = options.provider ?? (canAsk(terminal) ? await askProvider(terminal) : undefined);
  if (!given) throw new UsageFailure("Which provider? Give --provider, for example --provider hubspot.");
  const { provider, remedy } = findProvider(given);
  if (!provider) throw new UsageFailure(`There is no provider "${given}".`, { remedy });
  if (options.object && !provider.support.write) {
    throw new UsageFailure(`${provider.displayName ?? provider.name} does not support writing objects.`);
  }
  const objects = options.object ?? (provider.support.write ? await askObjects(terminal) : []);
  return { provider, objects, name: options.name ?? provider.name };
}

async function askProvider(terminal: Terminal): Promise<string> {
  const { findProvider } = await import("../manifest/starter-manifest.ts");
  for (;;) {
    const answer = await ask(terminal, "Provider (for example hubspot, salesforce)");
    const { provider, remedy } = findProvider(answer);
    if (provider) return answer;
    terminal.stderr.write(`There is no provider "${answer}". ${remedy}\n`);
  }
}

async function askObjects(terminal: Terminal): Promise<string[]> {
  if (!canAsk(terminal)) return [];
  const answer = await ask(terminal, "Objects to write, separated by commas (empty: none)");
  return answer.split(/[\s,]+/).filter(Boolean);
}

async function write(path: string, text: string, shown: string, force: boolean): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: force ? "w" : "wx" });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "EEXIST") {
      throw new Failure(`${shown} exists already and was not changed.`, {
        remedy: "Choose another folder, or overwrite it with --force.",
      });
    }
    throw new Failure(
      `${shown} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    );
  }
}
