/** Writes every generated file, or with `--check` fails naming those that are not fresh. */
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { openApiDocument } from "../server/http/openapi.ts";
import { routes, type Services } from "../server/routes.ts";
import { readReference } from "./reference.ts";

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
await generateOpenApi();
if (stale.length > 0) {
  console.error(`Not fresh: ${stale.join(", ")}. Run: npm run generate`);
  process.exit(1);
}

async function generateOpenApi(): Promise<void> {
  // Describing the routes calls no handler, so no service is needed.
  const document = openApiDocument(routes({} as Services), await readReference());
  const text = `${JSON.stringify(document, null, 2)}\n`;
  const old = await readFile("openapi.json", "utf8").catch(() => "");
  if (old === text) return;
  if (check) stale.push("openapi.json");
  else await writeFile("openapi.json", text);
}
