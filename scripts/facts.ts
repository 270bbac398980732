/**
 * Compares the facts about a vendor with a newer file of the vendor: `npm run facts -- stripe FILE`, an OpenAPI 2 or 3 document, a
 * Google discovery document, or a GraphQL schema as SDL or introspection. It prints what drifted and ends with 1; with `--write` the members that come from this file are updated.
 * Without facts it proposes some; `--write` writes them. `--source KEY` says which source the file is, where its name does not.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { parse as parseYaml } from "yaml";
import type { Facts } from "../connector-kit/facts/facts.ts";
import { buildPlans } from "../connector-kit/declarative/object-plan.ts";
import { readOpenapi, type OpenapiDocument } from "../connector-kit/openapi/openapi-operations.ts";
import {
  describeDrift,
  proposeFacts,
  updateFacts,
  type WantedRequest,
} from "../connector-kit/openapi/openapi-facts.ts";
import { DESCRIPTIONS } from "../connectors/descriptions.gen.ts";
import { readGraphqlSchema, cutSchemaExcerpt } from "../simulations/vendor/graphql/schema-excerpt.ts";
import { readFacts } from "../simulations/vendor/suite/facts-subject.ts";

const { values, positionals } = parseArgs({
  options: { write: { type: "boolean" }, source: { type: "string" } },
  allowPositionals: true,
});
const [provider = "", file = ""] = positionals;
const description = DESCRIPTIONS[provider];
if (!description || file === "") {
  console.error(
    "npm run facts -- PROVIDER FILE [--write] [--source KEY]; the provider is one with a description.",
  );
  process.exit(2);
}
const text = readFileSync(file, "utf8");
const place = join(import.meta.dirname, "..", "connectors", provider, "facts.json");
const facts = readFacts(provider);
if (facts?.graphql) compareSchema(facts);
else {
  const document = readOpenapi(
    text.trimStart().startsWith("{") ? JSON.parse(text) : parseYaml(text, { maxAliasCount: 1000 }),
  );
  if (facts) compare(facts, document);
  else propose(document);
}

/** Compares the excerpt of a GraphQL schema line by line. */
function compareSchema(known: Facts): void {
  const excerpt = cutSchemaExcerpt(readGraphqlSchema(text), known);
  const excerptPlace = place.replace(/json$/, "graphql");
  const before = existsSync(excerptPlace) ? readFileSync(excerptPlace, "utf8") : "";
  const [gone, added] = [listDifferences(before, excerpt), listDifferences(excerpt, before)];
  for (const line of gone) console.log(`- ${line}`);
  for (const line of added) console.log(`+ ${line}`);
  console.log(`${provider}: ${gone.length} lines of facts.graphql are gone, ${added.length} are new`);
  if (values.write) {
    writeFileSync(excerptPlace, excerpt);
    console.log(`${excerptPlace} is written; version and date of the source are entered by hand.`);
  } else if (gone.length + added.length > 0) process.exitCode = 1;
}

/** Returns the members of types that are in the first excerpt only, each with its type. */
function listDifferences(one: string, other: string): string[] {
  const members = (excerpt: string): string[] =>
    excerpt.split(/^}\n/m).flatMap((block) => {
      const [head = "", ...lines] = block.trim().split("\n");
      return lines.length === 0 ? [head] : lines.map((line) => `${head.replace(" {", "")}: ${line.trim()}`);
    });
  const others = new Set(members(other));
  return members(one).filter((line) => line !== "" && !others.has(line));
}

function compare(known: Facts, found: OpenapiDocument): void {
  const keys = Object.entries(known.sources).filter(
    ([key, source]) =>
      key === values.source ||
      (values.source === undefined && source.file !== undefined && basename(source.file) === basename(file)),
  );
  if (keys.length === 0) {
    console.error(
      `No source of ${provider}'s facts is a file ${basename(file)}; name one with --source: ${Object.keys(known.sources).join(", ")}.`,
    );
    process.exit(2);
  }
  const isFrom = (source: string) => keys.some(([key]) => source.split("#")[0] === key);
  const drift = describeDrift(known, found, isFrom);
  for (const { place: where, message } of drift) console.log(`${where}: ${message}`);
  console.log(
    `${provider}: ${drift.length === 0 ? "nothing" : drift.length} drifted; ${found.title} ${found.version}, before ${keys.map(([, { version }]) => version).join(", ")}`,
  );
  if (!values.write) {
    if (drift.length > 0) process.exitCode = 1;
    return;
  }
  const sources = { ...known.sources };
  for (const [key, source] of keys) sources[key] = { ...source, version: found.version, date: formatToday() };
  write({ ...updateFacts(known, found, isFrom), sources });
}

function propose(found: OpenapiDocument): void {
  const objects = proposeFacts(listRequests(), found, "openapi");
  const source = {
    kind: "vendor-openapi" as const,
    file: basename(file),
    version: found.version,
    date: formatToday(),
  };
  const proposed: Facts = { provider, sources: { openapi: source }, objects };
  console.log(
    `${provider}: facts about ${Object.keys(objects).join(", ") || "nothing"} are in ${found.title} ${found.version}.`,
  );
  if (values.write) write(proposed);
  else console.log(JSON.stringify(proposed, null, 2));
}

/** Which requests facts are wanted about, by the addresses that the connector uses; what they say comes from the vendor. */
function listRequests(): WantedRequest[] {
  if (!description) return [];
  return buildPlans(description).flatMap((plan): WantedRequest[] => {
    const path = (given: string | undefined) => {
      if (given === undefined)
        throw new Error(`connectors/${provider}/description.ts: a request of ${plan.name} has no path`);
      return given.replaceAll("{path}", plan.path ?? plan.name).replaceAll("{singular}", plan.singular ?? "");
    };
    const { name: objectName, list, get } = plan;
    return [
      ...(list
        ? [{ objectName, action: "list" as const, method: list.method ?? "GET", path: path(list.path) }]
        : []),
      ...(get
        ? [{ objectName, action: "get" as const, method: get.method ?? "GET", path: path(get.path) }]
        : []),
      ...(["create", "update", "upsert", "delete"] as const).flatMap((action) => {
        const rules = plan[action];
        return rules && plan.modes.includes(action)
          ? [{ objectName, action, method: rules.method, path: path(rules.path) }]
          : [];
      }),
    ];
  });
}

function write(changed: Facts): void {
  // Without line breaks, so that an object that fits on a line stays on it.
  writeFileSync(place, JSON.stringify(changed));
  execFileSync("oxfmt", [place]);
  console.log(`${place} is written.`);
}

function formatToday(): string {
  return new Date().toISOString().slice(0, 10);
}
