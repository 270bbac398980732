/** The editor of a provider's document, with what the API says about it, and the button that stores it. */
import { type JSX, type ReactNode, useMemo, useState } from "react";
import { Text } from "@mantine/core";
import { type Answer, ApiProblem, call } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { LeaveQuestion } from "../../frame/leave-question.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionBar } from "../../ui/action-bar.tsx";
import { ActionButton } from "../../ui/action-button.tsx";
import { CodeEditor, type EditorFinding } from "../../ui/code/code-editor.tsx";
import { FindingsList } from "../../ui/findings-list.tsx";
import { Section } from "../../ui/section.tsx";
import { type DocumentFault, readDocument } from "./provider-document.ts";

interface ProviderEditorProps {
  providerKey: string;
  /** The first text; another one replaces what is in the editor. */
  source: string;
  /** Whether the provider is stored already, as `source`; otherwise it is new. */
  isStored?: boolean;
  /** Why it cannot be stored yet, besides the role. */
  reason?: string;
  /** Above the editor. */
  children?: ReactNode;
  onStored?: (provider: Answer<"putProjectProvider">) => void;
}

export function ProviderEditor(props: ProviderEditorProps): JSX.Element {
  const { providerKey, source, isStored = false, reason, children, onStored } = props;
  const projectIdOrName = useProjectName();
  const [text, setText] = useState(source);
  const [stored, setStored] = useState(source);
  const [given, setGiven] = useState(source);
  if (given !== source) {
    setGiven(source);
    setStored(source);
    setText(source);
  }
  const { check, faults } = useProviderCheck(providerKey);
  const store = useChange("putProjectProvider", { forget: ["listProjectProviders", "getProjectProvider"] });
  const { document } = readDocument(text);
  const input = { projectIdOrName, provider: providerKey, body: document ?? {} };
  useDraft("putProjectProvider", input);
  const mayStore = useReason("editor");
  const unchanged = isStored && text === stored ? "Nothing has changed." : reason;
  const blocked = document ? unchanged : "The document is not YAML or JSON of an object.";
  const save = () =>
    store.mutate(input, {
      onSuccess: (made) => {
        setStored(text);
        onStored?.(made);
      },
    });
  return (
    <>
      <LeaveQuestion isChanged={text !== stored} what="The document" />
      <Section title="Document">
        {children}
        <CodeEditor
          name="Document"
          language="yaml"
          value={source}
          onChange={(next) => {
            setText(next);
            store.reset();
          }}
          check={check}
        />
        <FindingsList
          findings={faults?.map((fault) => ({ ...fault, severity: "error" as const }))}
          refused="this document would be refused"
        />
        <Text size="sm" c="dimmed" mt="xs">
          YAML or JSON; comments are not kept. It holds no secrets: credentials come from customers, OAuth
          clients from “Provider apps”.
        </Text>
      </Section>
      <ProblemView error={store.error} />
      <ActionBar>
        <ActionButton reason={mayStore ?? blocked} loading={store.isPending} onClick={save}>
          {isStored ? "Save" : "Create provider"}
        </ActionButton>
      </ActionBar>
    </>
  );
}

interface ProviderCheck {
  check: (text: string) => Promise<readonly EditorFinding[]>;
  /** Faults of the last check; undefined before the first one, or if the check itself failed. */
  faults: readonly DocumentFault[] | undefined;
}

/** `provider` is the key; while it is not typed yet, the document is checked under another one. */
function useProviderCheck(provider: string): ProviderCheck {
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
