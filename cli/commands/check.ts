/** `busbar check connection`, `busbar check provider` and `busbar cancel operation`. */
import type { Command } from "commander";
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { parse as parseYaml } from "yaml";
import { Ended, Failure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { requireObject, getTextAt } from "../http/json.ts";
import { printRecord } from "../output/print-record.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { Refused } from "../http/refused.ts";
import { connect } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { getOperation, isRunning } from "./operations.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import type { ProviderInfo } from "../../connector-kit/provider-info.ts";
import { createOutput } from "../output/output.ts";
import type { GlobalOptions } from "../settings/target.ts";

export function addCheck(program: Command, terminal: Terminal): void {
  const check = program.command("check").description("check a connection, or the file of a provider");
  addCheckProvider(check, terminal);
  check
    .command("connection <id>")
    .description("ask the provider whether the credentials work; exit code 1 if the connection does not work")
    .action(async (id: string, _: object, command: Command) => {
      const { inProject, out } = await connect(command, terminal);
      const answer = requireObject(await inProject("POST", `/connections/${encodeStep(id)}:check`));
      const works = getTextAt(answer, "status") === "working";
      if (out.json) out.data(answer);
      else {
        const why = getTextAt(answer, "check.detail") ?? getTextAt(answer, "check.result") ?? "";
        const paint = works ? out.paint.green : out.paint.red;
        out.line(`${paint(escapeUnsafe(getTextAt(answer, "status") ?? ""))} ${escapeUnsafe(why)}`.trimEnd());
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

/** The vendors' largest documents have some 30 MB. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Adds `busbar check provider`, which checks a custom provider, and compares it with the vendor's OpenAPI document. */
function addCheckProvider(check: Command, terminal: Terminal): void {
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
          ? await compare(own.description, resolve(terminal.cwd, openapi), listHeaders(own.info))
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
        out.line(describeResult(file, all.length, { isWarned: warnings.length > 0, compared: differences }));
      }
      if (all.length > 0) throw new Ended();
    });
}

type Compared = Awaited<ReturnType<typeof compare>>;

/** Lists the headers that each request has: fixed ones, and those of the credentials. */
const listHeaders = ({ fixedHeaders = [], customOpts, apiKeyOpts, oauth2Opts }: ProviderInfo): string[] =>
  [
    ...[...fixedHeaders, ...(customOpts?.headers ?? [])].map(({ name }) => name),
    apiKeyOpts?.header?.name,
    oauth2Opts?.accessTokenOpts?.header?.name,
  ].filter((name) => name !== undefined);

async function compare(description: Description, file: string, headers: string[]) {
  const { readOpenapi } = await import("../../connector-kit/openapi/openapi-operations.ts");
  const { compareDescription } = await import("../../connector-kit/openapi/compare-description.ts");
  try {
    const document = readOpenapi(await readDocument(file));
    return {
      ...compareDescription(description, document, headers),
      from: `${document.title} ${document.version}`.trim(),
    };
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function describeResult(
  file: string,
  count: number,
  { isWarned, compared }: { isWarned: boolean; compared: Compared | undefined },
): string {
  const nothing = isWarned ? "nothing else is wrong" : "nothing is wrong";
  const what = count === 0 ? nothing : count === 1 ? "one difference" : `${count} differences`;
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
