/** Checks the manifest in the editor with what the API tells about the project and the providers. */
import { useMemo, useState } from "react";
import { useCall } from "../../api/queries.ts";
import { withOwn } from "../../frame/providers.ts";
import type { EditorFinding } from "../../ui/code-editor.tsx";
import type { ManifestFacts, ManifestFinding } from "./manifest-findings.ts";

interface ManifestCheck {
  /** For the editor; undefined until the facts are there. */
  check: ((yaml: string) => Promise<readonly EditorFinding[]>) | undefined;
  /** Of the last check. */
  findings: readonly ManifestFinding[] | undefined;
}

export function useManifestCheck(projectIdOrName: string): ManifestCheck {
  const facts = useManifestFacts(projectIdOrName);
  const [findings, setFindings] = useState<readonly ManifestFinding[]>();
  const check = useMemo(() => {
    if (!facts) return undefined;
    return async (yaml: string) => {
      // Loaded only here: the rules are as large as the editor.
      const { manifestFindings } = await import("./manifest-findings.ts");
      const found = manifestFindings(yaml, facts);
      setFindings(found);
      return found.map(({ from, to, severity, message, remedy }) => ({
        from,
        to,
        severity,
        message: `${message} ${remedy}`,
      }));
    };
  }, [facts]);
  return { check, findings };
}

function useManifestFacts(projectIdOrName: string): ManifestFacts | undefined {
  const declared = useCall("listProviders", { declared: true }, { staysFresh: true }).data;
  const runs = useCall("listProviders", {}, { staysFresh: true }).data;
  const own = useCall("listProjectProviders", { projectIdOrName }).data;
  const apps = useCall("listProviderApps", { projectIdOrName }).data;
  const destinations = useCall("listDestinations", { projectIdOrName }).data;
  return useMemo(
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
}
