/** Writes every generated file, or with `--check` fails naming those that are not fresh. */
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { RouteServices } from "../server/routes.ts";
import { formatCompactly } from "./compact-json.ts";
import { buildDashboardApi } from "./dashboard-api.ts";

const check = process.argv.includes("--check");
const stale: string[] = [];

for (const script of [
  "scripts/generate-connectors.ts",
  "scripts/generate-destinations.ts",
  "scripts/generate-schema.ts",
]) {
  const { status } = spawnSync(process.execPath, [script, ...(check ? ["--check"] : [])], {
    stdio: "inherit",
  });
  if (status !== 0) stale.push(`what ${script} writes`);
}
// Imported only now, because they import files that the scripts above have written.
const { writeEvidenceModule: evidenceModule, collectProviderEvidence: providerEvidence } =
  await import("./provider-evidence.ts");
await write("connectors/evidence.gen.ts", evidenceModule(providerEvidence()));
const { openApiDocument } = await import("../server/http/openapi/openapi.ts");
const { listRoutes: routes } = await import("../server/routes.ts");
const { withClientCalls } = await import("./client-calls.ts");
const { withProblemTypes } = await import("./errors-guide.ts");
const { REFERENCE } = await import("./reference.ts");
const { writeProviderFormat: providerFormat } = await import("./provider-format.ts");
const { writeProviderPages: providerPages } = await import("./provider-pages.ts");
const { writeExampleEnvironment: exampleEnvironment, withVariables } = await import("./variables-guide.ts");
// Describing the routes calls no handler, so no service is needed.
const document = openApiDocument(routes({} as RouteServices), REFERENCE);
await write("openapi.json", `${formatCompactly(document)}\n`);
await write("dashboard/api.gen.ts", buildDashboardApi(JSON.parse(JSON.stringify(document))));
const ERRORS = "docs/guide/errors.md";
await write(ERRORS, withProblemTypes(await readFile(ERRORS, "utf8")));
const CLIENTS = "docs/guide/clients.md";
await write(CLIENTS, withClientCalls(await readFile(CLIENTS, "utf8"), JSON.parse(JSON.stringify(document))));
await write("docs/guide/provider-format.md", providerFormat());
const CONFIGURATION = "docs/guide/configuration.md";
await write(CONFIGURATION, withVariables(await readFile(CONFIGURATION, "utf8")));
await write(".env.example", exampleEnvironment());
const PAGES = "docs/providers";
const pages = providerPages();
for (const [name, text] of Object.entries(pages)) await write(`${PAGES}/${name}`, text);
for (const name of await readdir(PAGES).catch(() => []))
  if (!(name in pages)) await remove(`${PAGES}/${name}`);
if (stale.length > 0) {
  console.error(`Not fresh: ${stale.join(", ")}. Run: npm run generate`);
  process.exit(1);
}

async function write(file: string, text: string): Promise<void> {
  const old = await readFile(file, "utf8").catch(() => "");
  if (old === text) return;
  if (check) return void stale.push(file);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function remove(file: string): Promise<void> {
  if (check) stale.push(file);
  else await rm(file);
}
