/** Deploys a manifest: an editor with the findings of the server, a comparison, and the deployment. */
import { useState, type JSX } from "react";
import { Group, Stack, Text } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { ApiProblem, call, type Answer } from "../../api/call.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { Page } from "../../frame/page.tsx";
import { part, ProjectLink } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { CodeEditor, type EditorFinding } from "../../ui/code-editor.tsx";
import { Section } from "../../ui/section.tsx";

const TEMPLATE = `specVersion: 1.0.0
integrations:
  - name: my-integration
    provider: hubspot
    write:
      objects:
        - objectName: contacts
    proxy:
      enabled: true
`;

export function DeployPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { integration: integrationId = "", revision = "" }: Record<string, string | undefined> = useSearch({
    strict: false,
  });
  const enabled = integrationId !== "";
  const newest = useCall("listRevisions", { projectIdOrName, integrationId, pageSize: 1 }, { enabled });
  const revisionId = revision || (newest.data?.results[0]?.id ?? "");
  const from = useCall(
    "getRevision",
    { projectIdOrName, integrationId, revisionId },
    { enabled: enabled && revisionId !== "" },
  );
  const error = newest.error ?? from.error;
  const source = enabled ? from.data && (from.data.source ?? asManifest(from.data)) : TEMPLATE;
  return (
    <Page
      title="Deploy"
      about="One amp.yaml declares the integrations of the project. Others stay unchanged."
    >
      <ProblemView error={error} />
      {source !== undefined && <Editor key={revisionId} source={source} />}
    </Page>
  );
}

/** For revisions whose file is not known; JSON is YAML too. */
const asManifest = ({ specVersion, content }: Answer<"getRevision">): string =>
  JSON.stringify({ specVersion, integrations: [content] }, undefined, 2);

function Editor({ source }: { source: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const [text, setText] = useState(source);
  const compare = useChange("batchUpsertIntegrations");
  const deploy = useChange("batchUpsertIntegrations", {
    forget: ["listIntegrations", "getIntegration", "listRevisions"],
  });
  const input = { projectIdOrName, body: { sourceYaml: text } };
  const mayCompare = useReason("support");
  const check = async (yaml: string): Promise<readonly EditorFinding[]> =>
    mayCompare ? [] : findingsOf(projectIdOrName, yaml);
  return (
    <Stack gap="sm">
      <Section>
        <CodeEditor name="Manifest" language="yaml" value={source} onChange={setText} check={check} />
      </Section>
      <Group>
        <ActionButton
          variant="default"
          reason={mayCompare}
          loading={compare.isPending}
          onClick={() => compare.mutate({ ...input, dryRun: true })}
        >
          Compare
        </ActionButton>
        <ActionButton
          reason={useReason("editor")}
          loading={deploy.isPending}
          onClick={() => deploy.mutate(input)}
        >
          Deploy
        </ActionButton>
      </Group>
      <ProblemView error={deploy.error ?? compare.error} />
      {deploy.data ? <Deployed integrations={deploy.data} /> : <Comparison planned={compare.data} />}
    </Stack>
  );
}

type Deployment = Answer<"batchUpsertIntegrations">;

const Deployed = ({ integrations }: { integrations: Deployment }): JSX.Element => (
  <Section title="Deployed">
    {integrations.map(({ name }) => (
      <div key={name} role="status">
        <ProjectLink to={`/integrations/${part(name)}`}>{name}</ProjectLink>
      </div>
    ))}
  </Section>
);

const SIGNS = { added: "+", removed: "−", changed: "~" };

const Comparison = ({ planned = [] }: { planned: Deployment | undefined }): JSX.Element => (
  <>
    {planned.map((one) =>
      "change" in one ? (
        <Section key={one.name} title={`${one.name}: ${one.change}, ${one.installationCount} installations`}>
          {one.changes.length === 0 && <Text size="sm">No differences.</Text>}
          {one.changes.map(({ kind, path, before, after }) => (
            <Text key={path} size="sm" className="foreign">
              {`${SIGNS[kind]} ${path}${before === undefined ? "" : `: ${before}`}${
                after === undefined ? "" : ` → ${after}`
              }`}
            </Text>
          ))}
          {one.warnings.map(({ line, message, rule }) => (
            <Text
              key={`${line} ${rule} ${message}`}
              size="sm"
              className="foreign"
            >{`Line ${line}: ${message}`}</Text>
          ))}
        </Section>
      ) : null,
    )}
  </>
);

/** Asks the server, so that the verdict is that of the deployment. */
async function findingsOf(projectIdOrName: string, yaml: string): Promise<readonly EditorFinding[]> {
  try {
    const planned = await call("batchUpsertIntegrations", {
      projectIdOrName,
      dryRun: true,
      body: { sourceYaml: yaml },
    });
    return planned.flatMap(({ warnings }) => warnings).map((warning) => placed(yaml, "warning", warning));
  } catch (error) {
    const issues = error instanceof ApiProblem ? (error.problem.issues ?? []) : [];
    return issues.map((issue) => {
      const [line, column] = [numberAt(issue, "line"), numberAt(issue, "column")];
      return placed(yaml, "error", { line, column, message: issue.detail, remedy: issue.remedy ?? "" });
    });
  }
}

/** Issues of a manifest have their place beside the members of every issue. */
function numberAt(issue: object, member: string): number {
  const value: unknown = Reflect.get(issue, member);
  return typeof value === "number" ? value : 1;
}

function placed(
  yaml: string,
  severity: EditorFinding["severity"],
  found: { line: number; column: number; message: string; remedy: string },
): EditorFinding {
  const lines = yaml.split("\n");
  const before = lines.slice(0, found.line - 1).reduce((all, line) => all + line.length + 1, 0);
  const end = Math.min(yaml.length, before + (lines[found.line - 1]?.length ?? 0));
  const from = Math.min(end, before + found.column - 1);
  return { from, to: Math.max(from, end), severity, message: `${found.message} ${found.remedy}` };
}
