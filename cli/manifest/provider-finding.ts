/** Places a fault of a custom provider in its file. */
import type { ProviderFile } from "./read-manifest.ts";
import type { Finding } from "./report-findings.ts";

export type ProviderFinding = Finding & { path: string };

/** `path` is that of the fault within the document, for example `connector.objects.people.create.path`. */
export const providerFinding = (
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
