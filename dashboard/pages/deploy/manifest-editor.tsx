/** The editor of a manifest with its findings, the comparison with what is deployed, and the deployment. */
import { useState, type JSX, type ReactNode } from "react";
import { Checkbox, Stack, Text, Button, FileButton, Group } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { LeaveQuestion } from "../../frame/leave-question.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProductionQuestion } from "../../frame/production.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionBar } from "../../ui/action-bar.tsx";
import { ActionButton } from "../../ui/action-button.tsx";
import { CodeEditor } from "../../ui/code/code-editor.tsx";
import { FindingsList } from "../../ui/findings-list.tsx";
import { Section } from "../../ui/section.tsx";
import { ManifestComparison, removesReading, type Deployment } from "./manifest-comparison.tsx";
import { useManifestCheck } from "./use-manifest-check.ts";
import { saveText } from "../../ui/save-text.ts";
import { readManifestFile } from "./read-manifest-file.ts";

/** Small screens: lines of YAML wrap so often there that the indentation cannot be seen. */
const IS_NARROW = "(max-width: 48em)";

interface ManifestEditorProps {
  /** The text to begin with; a new one replaces what is in the editor, and can be undone there. */
  source: string;
  /** The file that is deployed now. */
  current: string | undefined;
  /** The number of the old revision that `source` is. */
  backTo: number | undefined;
}

export function ManifestEditor({ source, current, backTo }: ManifestEditorProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const [shown, setShown] = useState(source);
  const [text, setText] = useState(source);
  const [given, setGiven] = useState(source);
  const [stops, setStops] = useState(false);
  const { check, findings, error } = useManifestCheck(projectIdOrName);
  const compare = useChange("batchUpsertIntegrations");
  const deploy = useChange("batchUpsertIntegrations", { forget: ["listIntegrations", "listRevisions"] });
  if (given !== source) {
    setGiven(source);
    setShown(source);
  }
  const input = { projectIdOrName, ...(stops && { destructive: true }), body: { sourceYaml: text } };
  useDraft("batchUpsertIntegrations", input);
  const onChange = (next: string) => {
    setText(next);
    // Its box is shown again only with the next comparison.
    setStops(false);
    compare.reset();
    deploy.reset();
  };
  const isNarrow = useMediaQuery(IS_NARROW, false, { getInitialValueInEffect: false });
  return (
    <Stack gap="sm">
      <LeaveQuestion isChanged={text !== source && !deploy.isSuccess} what="The manifest" />
      <Notes backTo={backTo} isNarrow={isNarrow} />
      <Section title="amp.yaml" actions={<FileActions text={text} onRead={setShown} />}>
        <ProblemView error={error} />
        {check && (
          <>
            <CodeEditor
              name="Manifest"
              language="yaml"
              value={shown}
              onChange={onChange}
              check={check}
              readOnly={isNarrow}
            />
            <FindingsList findings={findings} refused="this manifest would be refused" />
          </>
        )}
      </Section>
      <Actions
        isComparing={compare.isPending}
        isDeploying={deploy.isPending}
        onCompare={() => compare.mutate({ ...input, dryRun: true })}
        onDeploy={() => deploy.mutate(input)}
      >
        {compare.data && removesReading(compare.data) && (
          <Checkbox
            label="Stop reading what the manifest no longer contains"
            checked={stops}
            onChange={(event) => setStops(event.currentTarget.checked)}
          />
        )}
      </Actions>
      <ProblemView error={deploy.error ?? compare.error} />
      {deploy.data && <Deployed integrations={deploy.data} />}
      {compare.data && !deploy.data && (
        <ManifestComparison planned={compare.data} before={current} after={text} />
      )}
    </Stack>
  );
}

interface ActionsProps {
  isComparing: boolean;
  isDeploying: boolean;
  onCompare: () => void;
  onDeploy: () => void;
  /** What else is to be chosen before the deployment. */
  children: ReactNode;
}

function Actions({ isComparing, isDeploying, onCompare, onDeploy, children }: ActionsProps): JSX.Element {
  const mayCompare = useReason("support");
  const mayDeploy = useReason("editor");
  const question = useProductionQuestion("Deploy this manifest", "Deploy");
  return (
    <ActionBar>
      <ActionButton variant="default" reason={mayCompare} loading={isComparing} onClick={onCompare}>
        Compare
      </ActionButton>
      <ActionButton reason={mayDeploy} loading={isDeploying} onClick={() => question.ask(onDeploy)}>
        Deploy
      </ActionButton>
      {children}
      {question.dialog}
    </ActionBar>
  );
}

const Notes = ({ backTo, isNarrow }: { backTo: number | undefined; isNarrow: boolean }): JSX.Element => (
  <>
    {backTo !== undefined && (
      <Text size="sm">
        This is revision {backTo} as it was deployed, with its comments. Compare it, then deploy it again.
      </Text>
    )}
    {isNarrow && (
      <Text size="sm">
        The manifest is read-only here, because the window is too narrow to see its indentation. To edit it,
        open this page in a window wider than 768 pixels. You can open a file, compare and deploy here, too.
      </Text>
    )}
  </>
);

const Deployed = ({ integrations }: { integrations: Deployment }): JSX.Element => (
  <Section title="Deployed">
    {integrations.map(({ name }) => (
      <div key={name} role="status">
        <ProjectLink to={`/integrations/${encodePart(name)}`}>{name}</ProjectLink> ·{" "}
        <ProjectLink to={`/integrations/${encodePart(name)}?tab=revisions`}>revisions</ProjectLink>
      </div>
    ))}
  </Section>
);

interface FileActionsProps {
  text: string;
  onRead: (text: string) => void;
}

function FileActions({ text, onRead }: FileActionsProps): JSX.Element {
  const [fault, setFault] = useState("");
  const read = (file: File | null) => {
    if (!file) return;
    setFault("");
    void readManifestFile(file).then(onRead, (error: unknown) =>
      setFault(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <Group gap="xs">
      {fault !== "" && (
        <Text role="alert" size="sm" c="red">
          {fault}
        </Text>
      )}
      <FileButton onChange={read} accept=".yaml,.yml,.json,.zip">
        {(props) => (
          <Button {...props} size="compact-sm" variant="default">
            Open a file or zip
          </Button>
        )}
      </FileButton>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => saveText("amp.yaml", "application/yaml", text)}
      >
        Download
      </Button>
    </Group>
  );
}
