/** Checks a manifest without a server, with the same rules that the server has. */
import { checkManifest } from "../../server/manifest/check-manifest.ts";
import { parseManifest } from "../../server/manifest/parse-manifest.ts";
import type { Json } from "../http/json.ts";
import { builtInCatalog } from "./catalog.ts";
import type { ServerFacts } from "./server-facts.ts";
import type { Finding } from "./report-findings.ts";

export type ManifestFinding = Finding & { path: string };

/** In the order of the file. Without `facts` nothing is said about what only a server knows. */
export function validate(source: string, facts?: ServerFacts): ManifestFinding[] {
  const { providers, ...context } = facts ?? {};
  return checkManifest(source, { ...providers, ...builtInCatalog() }, context).findings;
}

/** The manifest as plain data, undefined when it cannot be read. */
export const dataOf = (source: string): Json | undefined => parseManifest(source).document?.data;
