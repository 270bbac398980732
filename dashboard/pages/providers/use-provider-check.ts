/** Checks the document of a provider while it is typed: the API is asked what it would say, and stores nothing. */
import { useMemo, useState } from "react";
import { ApiProblem, call } from "../../api/call.ts";
import { useProjectName } from "../../frame/project.ts";
import type { EditorFinding } from "../../ui/code/code-editor.tsx";
import { readDocument, type DocumentFault } from "./provider-document.ts";

interface ProviderCheck {
  check: (text: string) => Promise<readonly EditorFinding[]>;
  /** Faults of the last check; undefined before the first one, or if the check itself failed. */
  faults: readonly DocumentFault[] | undefined;
}

/** `provider` is the key; while it is not typed yet, the document is checked under another one. */
export function useProviderCheck(provider: string): ProviderCheck {
  const projectIdOrName = useProjectName();
  const [faults, setFaults] = useState<readonly DocumentFault[]>();
  const check = useMemo(
    () => async (text: string) => {
      const found = await checkDocument(text, { projectIdOrName, provider: provider || UNTYPED });
      setFaults(found);
      return (found ?? []).map((fault): EditorFinding => ({ ...fault, severity: "error" }));
    },
    [projectIdOrName, provider],
  );
  return { check, faults };
}

const UNTYPED = "x-untyped";

async function checkDocument(
  text: string,
  input: { projectIdOrName: string; provider: string },
): Promise<readonly DocumentFault[] | undefined> {
  const { document, faults, faultAt } = readDocument(text);
  if (!document) return faults;
  try {
    await call("putProjectProvider", { ...input, dryRun: true, body: document });
    return [];
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const { status, issues = [], detail } = error.problem;
    // The server is away, or the person may not check: no verdict about the document.
    if (status !== 409 && status !== 422) return undefined;
    return issues.length > 0
      ? issues.map((issue) => faultAt(issue.name, issue.detail))
      : [faultAt("baseURL", detail)];
  }
}
