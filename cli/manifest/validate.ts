/** Checks a manifest without a server, with the server's rules. */
import { checkOwnProvider } from "../../connectors/own-provider.ts";
import { checkManifest } from "../../server/manifest/check-manifest.ts";
import { parseManifest } from "../../server/manifest/parse-manifest.ts";
import type { Json } from "../http/json.ts";
import { builtInCatalog } from "./catalog.ts";
import type { ServerFacts } from "./server-facts.ts";
import type { Finding } from "./report-findings.ts";

export type ManifestFinding = Finding & { path: string };

/** Returns the findings in the order of the file. Without `facts`, rules that need a server are left out. */
export function validate(
  source: string,
  facts?: ServerFacts,
  own: Record<string, Json> = {},
): ManifestFinding[] {
  const { providers, ...context } = facts ?? {};
  const checked = Object.entries(own).map(([key, document]) => ({ key, ...checkOwnProvider(key, document) }));
  const ownCatalog = Object.fromEntries(
    checked.flatMap(({ key, own: one }) => (one ? [[key, one.info]] : [])),
  );
  const findings = checked.flatMap(({ key, faults }) => faults.map((fault) => providerFinding(key, fault)));
  const catalog = { ...providers, ...ownCatalog, ...builtInCatalog() };
  return [...findings, ...checkManifest(source, catalog, context).findings];
}

/** A fault of a provider's file has a path there, and no line in the manifest. */
const providerFinding = (
  key: string,
  { path, message }: { path: string; message: string },
): ManifestFinding => ({
  severity: "error",
  rule: "own-provider",
  message: [`providers/${key}`, path, message].filter(Boolean).join(": "),
  remedy: "Correct the provider's file.",
  line: 1,
  column: 1,
  path: `providers/${key}.${path}`,
});

/** Returns the manifest as plain data, undefined if it cannot be parsed. */
export const dataOf = (source: string): Json | undefined => parseManifest(source).document?.data;
