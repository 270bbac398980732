/** Checks the manifest in the editor with what the API tells about the project and the providers. */
import { useMemo, useState } from "react";
import { useCall } from "../../api/queries.ts";
import { withOwn } from "../../frame/data/providers.ts";
import type { EditorFinding } from "../../ui/code/code-editor.tsx";
import type { ManifestFacts, ManifestFinding } from "./manifest-findings.ts";

interface ManifestCheck {
  /** For the editor; undefined until the facts are there. */
  check: ((yaml: string) => Promise<readonly EditorFinding[]>) | undefined;
  /** Findings of the last check. */
  findings: readonly ManifestFinding[] | undefined;
  /** Why the facts are not there. */
  error: Error | null;
}

export function useManifestCheck(projectIdOrName: string): ManifestCheck {
  const { facts, error } = useManifestFacts(projectIdOrName);
  const [findings, setFindings] = useState<readonly ManifestFinding[]>();
  const check = useMemo(() => {
    if (!facts) return undefined;
    return async (yaml: string) => {
      // Loaded only here: the rules are as large as the editor.
      const { listManifestFindings } = await import("./manifest-findings.ts");
      const found = listManifestFindings(yaml, facts);
      setFindings(found);
      return found.map(({ from, to, severity, message, remedy }) => ({
        from,
        to,
        severity,
        message: `${message} ${remedy}`,
      }));
    };
  }, [facts]);
  return { check, findings, error };
}

function useManifestFacts(projectIdOrName: string): {
  facts: ManifestFacts | undefined;
  error: Error | null;
} {
  const all = {
    declared: useCall("listProviders", { declared: true }, { staysFresh: true }),
    runs: useCall("listProviders", {}, { staysFresh: true }),
    own: useCall("listProjectProviders", { projectIdOrName }),
    apps: useCall("listProviderApps", { projectIdOrName }),
    destinations: useCall("listDestinations", { projectIdOrName }),
  };
  const [declared, runs, own] = [all.declared.data, all.runs.data, all.own.data];
  const [apps, destinations] = [all.apps.data, all.destinations.data];
  const facts = useMemo(
    () =>
      declared && runs && own && apps && destinations
        ? {
            declared: withOwn(declared, own),
            runs: withOwn(runs, own),
            providerApps: apps.map(({ provider }) => provider),
            destinations: destinations.map(({ name }) => name),
          }
        : undefined,
    [declared, runs, own, apps, destinations],
  );
  const failed = Object.values(all).find(({ data, error }) => data === undefined && error);
  return { facts, error: failed?.error ?? null };
}
