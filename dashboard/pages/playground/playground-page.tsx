/** Tries a write or a proxied call as a customer, with the answer beside it. */
import { useState, type JSX } from "react";
import { Checkbox, NativeSelect, Stack, Tabs, Text, TextInput } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { useFilters } from "../../frame/filters.ts";
import { part, ProjectLink } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CodeEditor } from "../../ui/code-editor.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Section } from "../../ui/section.tsx";

type Installation = Answer<"listProjectInstallations">["results"][number];

export function PlaygroundPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const [values, setValues] = useFilters("tab", "installationId");
  const { data, error } = useCall("listProjectInstallations", { projectIdOrName, pageSize: 200 });
  const installations = data?.results ?? [];
  const chosen = installations.find(({ id }) => id === values.installationId) ?? installations[0];
  return (
    <Page title="Playground" about="Calls made here are real, except dry runs.">
      <ProblemView error={data ? null : error} />
      {data && installations.length === 0 && (
        <Section>
          <Text size="sm">There is no installation yet. Install an integration for a customer first.</Text>
        </Section>
      )}
      {chosen && (
        <>
          <NativeSelect
            label="Installation"
            maw={480}
            data={installations.map(({ id, group, integrationName }) => ({
              value: id,
              label: `${group.groupName} · ${integrationName}`,
            }))}
            value={chosen.id}
            onChange={({ currentTarget }) => setValues({ ...values, installationId: currentTarget.value })}
          />
          <Tabs
            value={values.tab ?? "write"}
            onChange={(tab) => setValues({ ...values, tab: tab ?? undefined })}
            keepMounted={false}
          >
            <Tabs.List>
              <Tabs.Tab value="write">Write</Tabs.Tab>
              <Tabs.Tab value="proxy">Proxy</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="write" pt="sm">
              <Write key={chosen.id} installation={chosen} />
            </Tabs.Panel>
            <Tabs.Panel value="proxy" pt="sm">
              <Proxy key={chosen.id} installation={chosen} />
            </Tabs.Panel>
          </Tabs>
        </>
      )}
    </Page>
  );
}

function Write({ installation }: { installation: Installation }): JSX.Element {
  const projectIdOrName = useProjectName();
  const [objectName, setObjectName] = useState("");
  const [type, setType] = useState<"create" | "update" | "delete">("create");
  const [text, setText] = useState("{}");
  const [dryRun, setDryRun] = useState(true);
  const write = useChange("writeRecords", { forget: ["listProjectOperations"] });
  const record = recordOf(text);
  const input = {
    projectIdOrName,
    integrationId: installation.integrationId,
    objectName: objectName || "object",
    ...(dryRun && { dryRun }),
    body: { groupRef: installation.group.groupRef, type, ...(record && { record }) },
  };
  useDraft("writeRecords", input);
  const role = useReason(dryRun ? "support" : "editor");
  const missing =
    objectName === "" ? "Name the object." : record ? undefined : "The record is not a JSON object.";
  const { data } = write;
  return (
    <Stack gap="sm" maw={720}>
      <TextInput
        label="Object"
        value={objectName}
        onChange={({ currentTarget }) => setObjectName(currentTarget.value)}
      />
      <NativeSelect
        label="Type"
        data={TYPES}
        value={type}
        onChange={({ currentTarget }) =>
          setType(TYPES.find((one) => one === currentTarget.value) ?? "create")
        }
      />
      <Text size="sm">Record</Text>
      <CodeEditor name="Record" language="json" value="{}" onChange={setText} height={180} />
      <Checkbox
        label="Dry run"
        checked={dryRun}
        onChange={({ currentTarget }) => setDryRun(currentTarget.checked)}
      />
      <ActionButton reason={role ?? missing} loading={write.isPending} onClick={() => write.mutate(input)}>
        Send
      </ActionButton>
      <ProblemView error={write.error} />
      {data && (
        <Section title="Answer">
          {"operationId" in data && data.operationId && (
            <ProjectLink to={`/operations/${part(data.operationId)}`}>Open the operation</ProjectLink>
          )}
          <JsonView name="Answer" value={data} />
        </Section>
      )}
    </Stack>
  );
}

const TYPES = ["create", "update", "delete"] as const;

function recordOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

function Proxy({ installation }: { installation: Installation }): JSX.Element {
  const projectIdOrName = useProjectName();
  const [method, setMethod] = useState<(typeof METHODS)[number]>("GET");
  const [path, setPath] = useState("/");
  const [body, setBody] = useState("");
  const send = useChange("callProvider", { forget: ["listProjectProxyCalls"] });
  const input = {
    projectIdOrName,
    integrationId: installation.integrationId,
    installationId: installation.id,
    body: { method, path, ...(body !== "" && { body }) },
  };
  useDraft("callProvider", input);
  const role = useReason("editor");
  const { data } = send;
  return (
    <Stack gap="sm" maw={720}>
      <NativeSelect
        label="Method"
        data={METHODS}
        value={method}
        onChange={({ currentTarget }) =>
          setMethod(METHODS.find((one) => one === currentTarget.value) ?? "GET")
        }
      />
      <TextInput label="Path" value={path} onChange={({ currentTarget }) => setPath(currentTarget.value)} />
      {method !== "GET" && (
        <>
          <Text size="sm">Body</Text>
          <CodeEditor name="Body" language="json" value="" onChange={setBody} height={140} />
        </>
      )}
      <ActionButton reason={role} loading={send.isPending} onClick={() => send.mutate(input)}>
        Send
      </ActionButton>
      <ProblemView error={send.error} />
      {data && (
        <Section title="Answer">
          <Text size="sm">{`${data.status} in ${data.durationMs} ms${data.truncated ? ", cut off at 1 MiB" : ""}`}</Text>
          <CodeBlock name="Answer" text={data.body} wraps />
        </Section>
      )}
    </Stack>
  );
}
