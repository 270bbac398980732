/** `busbar check provider`: checks a builder's custom provider, and compares it with the vendor's OpenAPI document. */
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { parse as parseYaml } from "yaml";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { Ended, Failure } from "../failures.ts";
import { createOutput } from "../output/output.ts";
import { escapeUnsafe } from "../output/printable.ts";
import type { GlobalOptions } from "../settings/target.ts";
import type { Terminal } from "../terminal.ts";

/** The vendors' largest documents have some 30 MB. */
const MAX_BYTES = 64 * 1024 * 1024;

export function addCheckProvider(check: Command, terminal: Terminal): void {
  check
    .command("provider <file>")
    .description(
      "check the file of a custom provider, and compare it with the vendor's OpenAPI document; exit code 1 if something differs",
    )
    .option(
      "--openapi <file>",
      "the vendor's OpenAPI document 2 or 3, JSON or YAML, or a Google discovery document",
    )
    .action(async (file: string, { openapi }: { openapi?: string }, command: Command) => {
      const out = createOutput(terminal, command.optsWithGlobals<GlobalOptions>());
      // Imported only here, because the checks and the catalog are half of the program's code.
      const { checkCustomProvider, warnOfProvider } = await import("../../connector-kit/custom-provider.ts");
      const name = basename(file).replace(/\.(ya?ml|json)$/, "");
      const key = name.startsWith("x-") ? name : `x-${name}`;
      const { own, faults } = checkCustomProvider(key, await readDocument(resolve(terminal.cwd, file)));
      if (own && !own.description && openapi !== undefined)
        throw new Failure(`${file} has no connector, so there is nothing to compare`, {
          remedy: "Add `connector` to it.",
        });
      const differences =
        own?.description && openapi !== undefined
          ? await compare(own.description, resolve(terminal.cwd, openapi))
          : undefined;
      const warnings = [...(own ? warnOfProvider(own) : []), ...(differences?.warnings ?? [])];
      const all = [
        ...faults.map(({ path, message }) => ({ path, message, kind: "fault" })),
        ...(differences?.differences ?? []).map((one) => ({ ...one, kind: "difference" })),
      ];
      if (out.json) out.data([...all, ...warnings.map((one) => ({ ...one, kind: "warning" }))]);
      else {
        for (const { path, message } of warnings)
          out.line(`${out.paint.yellow("!")} ${escapeUnsafe(path)}: ${escapeUnsafe(message)}`);
        for (const { path, message } of all)
          out.line(`${out.paint.red("✗")} ${escapeUnsafe(path)}: ${escapeUnsafe(message)}`);
        out.line(describeResult(file, all.length, differences));
      }
      if (all.length > 0) throw new Ended();
    });
}

type Compared = Awaited<ReturnType<typeof compare>>;

async function compare(description: Description, file: string) {
  const { readOpenapi } = await import("../../connector-kit/openapi/openapi-operations.ts");
  const { compareDescription } = await import("../../connector-kit/openapi/compare-description.ts");
  try {
    const document = readOpenapi(await readDocument(file));
    return {
      ...compareDescription(description, document),
      from: `${document.title} ${document.version}`.trim(),
    };
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function describeResult(file: string, count: number, compared: Compared | undefined): string {
  const what = count === 0 ? "nothing is wrong" : count === 1 ? "one difference" : `${count} differences`;
  if (!compared) return `${file}: ${what}`;
  return `${file}: ${what}; ${compared.compared} requests compared with ${compared.from}, ${compared.absent} are not in it`;
}

/** Throws `Failure` for a file that is not there, too large, or neither JSON nor YAML. */
async function readDocument(file: string): Promise<unknown> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw new Failure(`${file} is larger than ${MAX_BYTES / 1024 / 1024} MB`);
    const text = await readFile(file, "utf8");
    return text.trimStart().startsWith("{") ? JSON.parse(text) : parseYaml(text, { maxAliasCount: 1000 });
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      remedy: "Give the path of a JSON or YAML file.",
      cause,
    });
  }
}
