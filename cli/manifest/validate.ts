/** Checks a manifest without a server, with the server's rules. */
import { checkCustomProvider } from "../../connector-kit/custom-provider.ts";
import { listKnownObjects } from "../../connector-kit/declarative/object-plan.ts";
import { checkManifest } from "../../manifest/check-manifest.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import type { Json } from "../http/json.ts";
import { buildCatalog } from "./catalog.ts";
import type { ServerFacts } from "./server-facts.ts";
import type { ProviderFile } from "./read-manifest.ts";
import type { Finding } from "./report-findings.ts";

type ManifestFinding = Finding & { path: string };

/** Returns the findings in the order of the file. Without `facts`, rules that need a server are left out. */
export function validate(
  source: string,
  facts?: ServerFacts,
  own: Record<string, ProviderFile> = {},
): ManifestFinding[] {
  const { providers, ...context } = facts ?? {};
  const checked = Object.entries(own).map(([key, file]) => ({
    key,
    file,
    ...checkCustomProvider(key, file.data),
  }));
  const ownCatalog = Object.fromEntries(
    checked.flatMap(({ key, own: one }) => (one ? [[key, one.info]] : [])),
  );
  const findings = checked.flatMap(({ key, file, faults }) =>
    faults.map((fault) => toProviderFinding(key, file, fault)),
  );
  const catalog = { ...providers, ...ownCatalog, ...buildCatalog() };
  const faultyProviders = checked.filter(({ own: one }) => !one).map(({ key }) => key);
  const descriptions = new Map(checked.map(({ key, own: one }) => [key, one?.description]));
  const objects = (provider: string) => {
    const description = descriptions.get(provider);
    return description && listKnownObjects(description);
  };
  return [...findings, ...checkManifest(source, catalog, { ...context, objects, faultyProviders }).findings];
}

/** Returns the manifest as plain data, undefined if it cannot be parsed. */
export const toPlainData = (source: string): Json | undefined => parseManifest(source).document?.data;

type ProviderFinding = Finding & { path: string };

/** Places a fault of a custom provider in its file. `path` is that of the fault within the document, for example `connector.objects.people.create.path`. */
export const toProviderFinding = (
  key: string,
  { shown, source, findPosition }: ProviderFile,
  { path, message }: { path: string; message: string },
): ProviderFinding => ({
  severity: "error",
  rule: "own-provider",
  message: [path, message].filter(Boolean).join(": "),
  remedy: "docs/guide/provider-format.md lists the members of a provider's file.",
  ...findPosition(parsePath(path)),
  path: `providers/${key}.${path}`,
  file: { shown, source },
});

/** An unknown member is named by the message; its place is that of the nearest known one. */
const parsePath = (path: string): (string | number)[] =>
  path
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .split(".")
    .filter(Boolean)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
