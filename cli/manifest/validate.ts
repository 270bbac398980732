/** Checks a manifest without a server, with the server's rules. */
import { checkManifest } from "../../server/manifest/check-manifest.ts";
import { parseManifest } from "../../server/manifest/parse-manifest.ts";
import type { Json } from "../http/json.ts";
import { builtInCatalog } from "./catalog.ts";
import type { ServerFacts } from "./server-facts.ts";
import type { Finding } from "./report-findings.ts";

export type ManifestFinding = Finding & { path: string };

/** Returns the findings in the order of the file. Without `facts`, rules that need a server are left out. */
export function validate(source: string, facts?: ServerFacts): ManifestFinding[] {
  const { providers, ...context } = facts ?? {};
  return checkManifest(source, { ...providers, ...builtInCatalog() }, context).findings;
}

/** Returns the manifest as plain data, undefined if it cannot be parsed. */
export const dataOf = (source: string): Json | undefined => parseManifest(source).document?.data;
