/** `busbar deploy .`: deploys a manifest and prints the changes. */
import type { Command } from "commander";
import { compareManifests, type ManifestChange } from "../../manifest/manifest-changes.ts";
import { Ended, Failure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import {
  listObjectsAt,
  requireObjects,
  getTextAt,
  getValueAt,
  type Json,
  type JsonObject,
} from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import { toProviderFinding } from "../manifest/validate.ts";
import { readManifest, type ManifestFile } from "../manifest/read-manifest.ts";
import { listFindingLines, summarizeFindings, type Finding } from "../manifest/report-findings.ts";
import { findVanishedObjects, type Vanished } from "../manifest/find-vanished-objects.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { canAsk, choose } from "../prompt.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";

interface DeployOptions {
  destructive?: boolean;
  dryRun?: boolean;
}

export function addDeploy(program: Command, terminal: Terminal): void {
  for (const name of ["deploy", "deploy:integration"]) {
    program
      .command(`${name} <path>`, { hidden: name !== "deploy" })
      .description("deploy a manifest")
      .option("--destructive", "stop reading objects that the manifest no longer contains")
      .option("--dry-run", "print what would change, and deploy nothing")
      .addHelpText(
        "after",
        "\nThe path is a file, a folder with an amp.yaml (and your custom providers in providers/), or - for stdin. If the manifest removes a read object that customers\n" +
          "have installed, you are asked what to do; without a terminal it is kept, unless you give --destructive. If customers\n" +
          "can write to names that the manifest removes, you are asked too; without a terminal nothing is deployed.",
      )
      .action(async (path: string, options: DeployOptions, command: Command) => {
        const file = await readManifest(path, terminal);
        const deps = await connect(command, terminal);
        await (options.dryRun ? compare(file, options, deps) : deploy(file, options, deps, terminal));
      });
  }
}

async function deploy(
  file: ManifestFile,
  options: DeployOptions,
  deps: Connected,
  terminal: Terminal,
): Promise<void> {
  const before = requireObjects(await deps.inProject("GET", "/integrations"));
  const destructive = options.destructive ?? (await askAboutVanished(file, before, deps, terminal));
  deps.out.note(`deploying ${file.shown} to project ${await deps.project()}`);
  const deployed = await put(file, destructive, deps).catch(async (error: unknown) => {
    await askAboutLostNames(error, deps, terminal);
    return put(file, undefined, deps);
  });
  if (deps.out.json) return deps.out.data(deployed);
  for (const key of Object.keys(file.providers ?? {}))
    deps.out.line(`${deps.out.paint.green("provider".padEnd(COLUMN))}  ${escapeUnsafe(key)}`);
  for (const integration of deployed) printDeployed(integration, before, deps);
  printWarnings(deployed, file, deps);
}

async function compare(file: ManifestFile, options: DeployOptions, deps: Connected): Promise<void> {
  deps.out.note(`comparing ${file.shown} with project ${await deps.project()}`);
  const planned = await put(file, options.destructive, deps, { dryRun: "true" });
  if (deps.out.json) return deps.out.data(planned);
  for (const integration of planned) {
    const word = getTextAt(integration, "change") ?? "";
    const colour =
      { added: deps.out.paint.green, changed: deps.out.paint.yellow }[word] ?? deps.out.paint.dim;
    const count = getValueAt(integration, "installationCount");
    const installations = deps.out.paint.dim(`${String(count)} installation${count === 1 ? "" : "s"}`);
    deps.out.line([colour(word.padEnd(COLUMN)), ...listNames(integration), installations].join("  "));
    for (const change of listObjectsAt(integration, "changes").flatMap(readChanges))
      printChange(change, deps);
  }
  printWarnings(planned, file, deps);
  deps.out.note("nothing was deployed");
}

function printWarnings(integrations: JsonObject[], file: ManifestFile, { out }: Connected): void {
  const warnings = integrations.flatMap(listWarnings);
  if (warnings.length === 0) return;
  out.line();
  for (const line of listFindingLines(warnings, file, out.paint)) out.line(line);
  out.line(summarizeFindings(warnings, file.shown, out.paint));
}

/** Deploys the manifest. If `destructive` is undefined, the server accepts that names are lost; if it is false, the server refuses. */
async function put(
  file: ManifestFile,
  destructive: boolean | undefined,
  deps: Connected,
  more: { dryRun?: string } = {},
): Promise<JsonObject[]> {
  try {
    const query = { destructive: destructive === undefined ? undefined : String(destructive), ...more };
    const documents = Object.entries(file.providers ?? {}).map(([key, { data }]) => [key, data]);
    const providers: JsonObject = Object.fromEntries(documents);
    const body = { sourceYaml: file.source, ...(file.providers && { providers }) };
    return requireObjects(await deps.inProject("PUT", "/integrations:batch", { query, body }));
  } catch (error) {
    const issues = error instanceof Refused ? listObjectsAt(error.problem, "issues") : [];
    const findings = issues.flatMap((issue) => [...toFindings(issue), ...findInProvider(issue, file)]);
    if (findings.length === 0 || deps.out.json) throw error;
    for (const line of listFindingLines(findings, file, deps.out.paint)) deps.out.line(line);
    deps.out.line(`${summarizeFindings(findings, file.shown, deps.out.paint)}; nothing was deployed`);
    throw new Ended();
  }
}

/** Returns if the refusal is about lost names and the user deploys anyway; throws otherwise. */
async function askAboutLostNames(error: unknown, { out }: Connected, terminal: Terminal): Promise<void> {
  if (!(error instanceof Refused) || !getTextAt(error.problem, "type")?.endsWith("/names-in-use"))
    throw error;
  if (!canAsk(terminal)) throw new Failure(`${error.message} Use --destructive to deploy anyway.`);
  out.note(escapeUnsafe(error.message));
  const answer = await choose(terminal, "(d)eploy anyway, or (c)ancel?", "dc");
  if (answer === "c") throw new Failure("Cancelled; nothing was deployed.");
}

/** Returns the finding for an issue; none if the issue has no place in the file. */
function toFindings(issue: JsonObject): Finding[] {
  const [line, column] = [getValueAt(issue, "line"), getValueAt(issue, "column")];
  if (typeof line !== "number" || typeof column !== "number") return [];
  return [
    {
      severity: getTextAt(issue, "severity") === "warning" ? "warning" : "error",
      rule: getTextAt(issue, "rule") ?? "",
      message: getTextAt(issue, "message") ?? getTextAt(issue, "detail") ?? "",
      remedy: getTextAt(issue, "remedy") ?? "",
      line,
      column,
    },
  ];
}

/** Returns the finding for an issue of a provider that was sent with the manifest; none for another. */
function findInProvider(issue: JsonObject, { providers = {} }: ManifestFile): Finding[] {
  const [, key = "", path = ""] = /^providers\.([^.]+)\.?(.*)$/.exec(getTextAt(issue, "name") ?? "") ?? [];
  const file = Object.hasOwn(providers, key) ? providers[key] : undefined;
  return file ? [toProviderFinding(key, file, { path, message: getTextAt(issue, "detail") ?? "" })] : [];
}

const listWarnings = (integration: JsonObject): Finding[] =>
  listObjectsAt(integration, "warnings").flatMap((warning) =>
    toFindings({ ...warning, severity: "warning" }),
  );

function printDeployed(integration: JsonObject, before: JsonObject[], { out }: Connected): void {
  const old = before.find((one) => getTextAt(one, "id") === getTextAt(integration, "id"));
  const content = (one: JsonObject) => getValueAt(one, "latestRevision.content");
  const changes = old ? compareManifests(content(old), content(integration)) : [];
  const word = old ? (changes.length > 0 ? "updated" : "unchanged") : "created";
  const revision = out.paint.dim(`revision ${getTextAt(integration, "latestRevision.id") ?? ""}`);
  const colour = { created: out.paint.green, updated: out.paint.yellow, unchanged: out.paint.dim }[word];
  out.line([colour(word.padEnd(COLUMN)), ...listNames(integration), revision].join("  "));
  for (const change of changes) printChange(change, { out });
}

const COLUMN = "unchanged".length;

const listNames = (integration: JsonObject): string[] =>
  [getTextAt(integration, "name"), getTextAt(integration, "provider")].map((name = "") => escapeUnsafe(name));

function printChange(change: ManifestChange, { out }: Pick<Connected, "out">): void {
  const colour = { added: out.paint.green, removed: out.paint.red, changed: out.paint.yellow }[change.kind];
  out.line(`    ${colour(describeChange(change))}`);
}

/** Returns the change in the server's answer; none if it is not one. */
function readChanges(entry: JsonObject): ManifestChange[] {
  const [kind, path] = [getTextAt(entry, "kind"), getTextAt(entry, "path")];
  if ((kind !== "added" && kind !== "removed" && kind !== "changed") || path === undefined) return [];
  return [{ ...entry, kind, path }];
}

function describeChange({ kind, path, before, after }: ManifestChange): string {
  const value = (given: Json | undefined) => (given === undefined ? "…" : JSON.stringify(given));
  if (kind === "changed") return escapeUnsafe(`~ ${path}: ${value(before)} → ${value(after)}`);
  const given = kind === "added" ? after : before;
  return escapeUnsafe(
    `${kind === "added" ? "+" : "-"} ${path}${given === undefined ? "" : `: ${value(given)}`}`,
  );
}

/** Returns whether to stop reading objects that the manifest removed. Asks only if customers have installed them. */
async function askAboutVanished(
  file: ManifestFile,
  before: JsonObject[],
  deps: Connected,
  terminal: Terminal,
): Promise<boolean> {
  const { toPlainData } = await import("../manifest/validate.ts");
  const installed: (Vanished & { installations: number })[] = [];
  for (const vanished of findVanishedObjects(before, toPlainData(file.source))) {
    const path = `/integrations/${encodeStep(vanished.integrationId)}/installations`;
    const installations = requireObjects(await deps.inProject("GET", path)).length;
    if (installations > 0) installed.push({ ...vanished, installations });
  }
  if (installed.length === 0) return false;
  for (const { integration, objects, installations } of installed) {
    const customers = `${installations} installation${installations === 1 ? "" : "s"}`;
    deps.out.note(`${integration}: the manifest no longer reads ${objects.join(", ")} (${customers})`);
  }
  if (!canAsk(terminal)) {
    deps.out.note("these objects are kept; --destructive removes them");
    return false;
  }
  const answer = await choose(terminal, "(k)eep reading them, (s)top reading them, or (c)ancel?", "ksc");
  if (answer === "c") throw new Failure("Cancelled; nothing was deployed.");
  return answer === "s";
}
