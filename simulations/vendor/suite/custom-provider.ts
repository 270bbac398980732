/** Reads the file of a custom provider, and the file with facts about its vendor. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { parse as parseYaml } from "yaml";
import { checkCustomProvider } from "../../../connector-kit/custom-provider.ts";
import { describeConnector } from "../../../connector-kit/declarative/describe-connector.ts";
import type { Description } from "../../../connector-kit/declarative/rules/description.ts";
import { completeRequests } from "../../../connector-kit/facts/complete-requests.ts";
import { FactsSchema, type Facts } from "../../../connector-kit/facts/facts.ts";
import { findShapeFaults } from "../../../connector-kit/provider/check-provider.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { UsageError, readMessage } from "../../../ground/errors.ts";
import type { Subject } from "./bench.ts";
import { buildSubject } from "./facts-subject.ts";

const SUFFIX = /\.(?:ya?ml|json)$/;
/** Limit of a file. The largest file of facts in the catalog has 80 KB. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Returns whether a text is the file of a custom provider, rather than the name of a provider in the catalog. */
export const isProviderFile = (text: string): boolean => SUFFIX.test(text);

/** Reads the file of a custom provider. Throws `UsageError` with every fault and its place. */
export function readProviderFile(file: string): { info: ProviderInfo; description: Description } {
  const { own, faults } = checkCustomProvider(basename(file).replace(SUFFIX, ""), readDocument(file));
  if (!own) throw new UsageError(listFaults(file, faults));
  if (!own.description)
    throw new UsageError(`${file} has no member connector: Busbar neither reads nor writes objects of it`);
  return { info: own.info, description: own.description };
}

/**
 * Reads the facts in a file and, for a GraphQL vendor, the schema in the file next to it that ends in `.graphql`. Throws
 * `UsageError` with every fault and its place.
 */
export function readFactsFile(file: string): { facts: Facts; sdl?: string } {
  const facts = completeRequests(readDocument(file) as Facts);
  const faults = findShapeFaults(FactsSchema, facts, "facts");
  if (faults.length > 0) throw new UsageError(listFaults(file, faults));
  if (!facts.graphql) return { facts };
  const schema = file.replace(SUFFIX, ".graphql");
  if (!existsSync(schema))
    throw new UsageError(`${file} has facts about GraphQL; their schema is missing: ${schema}`);
  return { facts, sdl: readFileSync(schema, "utf8") };
}

/** Combines the connector in a file with the facts about its vendor. */
export function readCustomSubject(file: string, factsFile: string): Subject {
  const { info, description } = readProviderFile(file);
  const { facts, sdl } = readFactsFile(factsFile);
  const subject = buildSubject(
    info.name,
    facts,
    describeConnector(info.name, description),
    description,
    info,
  );
  return { ...subject, ...(sdl !== undefined && { sdl }) };
}

const listFaults = (file: string, faults: { path: string; message: string }[]): string =>
  [`${file} has faults:`, ...faults.map(({ path, message }) => `  ${path}: ${message}`)].join("\n");

function readDocument(file: string): unknown {
  try {
    if (statSync(file).size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024 / 1024} MB`);
    return parseYaml(readFileSync(file, "utf8"), { maxAliasCount: 1000 });
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${readMessage(cause)}`, { cause });
  }
}
