/** Tries a write or a proxied call as a customer; beside it the same call for a shell, below the calls of this tab. */
import { type JSX, useState } from "react";
import { Button, Group, NativeSelect, Tabs, Text, TextInput } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { useCall } from "../../api/queries.ts";
import { useFilters } from "../../frame/data/filters.ts";
import { ProjectButton, ProjectLink } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { isolateName } from "../../ui/isolated.ts";
import { usePausedText } from "../../ui/paused-text.ts";
import { Section } from "../../ui/section.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ProxyForm } from "./proxy-form.tsx";
import { type SentCall, useSentCalls } from "./sent-calls.ts";
import { WriteForm } from "./write-form.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

const NAMES = [
  "tab",
  "installationId",
  "groupRef",
  "object",
  "type",
  "mode",
  "fields",
  "upsertKey",
  "method",
  "path",
];

export function PlaygroundPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const [values, setValues] = useFilters(...NAMES);
  const [again, setAgain] = useState<SentCall>();
  const wanted = {
    projectIdOrName,
    pageSize: 200,
    ...(values["groupRef"] && { groupRef: values["groupRef"] }),
  };
  const { data, error } = useCall("listProjectInstallations", wanted);
  const installations = data?.results ?? [];
  const chosen = useChosen(installations, values["installationId"]);
  const isLong = data?.pagination.done === false || values["groupRef"] !== undefined;
  const key = `${chosen?.id} ${again?.id}`;
  return (
    <Page title="Playground" about="Calls made here are real, except dry runs.">
      <ProblemView error={data ? null : error} />
      {data && installations.length === 0 && <NoInstallation />}
      {(isLong || installations.length > 0) && (
        <Group align="flex-end" mb="md">
          {isLong && (
            <CustomerField
              groupRef={values["groupRef"] ?? ""}
              onGroupRef={(groupRef) => void setValues({ ...values, groupRef, installationId: undefined })}
            />
          )}
          {installations.length > 0 && (
            <InstallationChoice
              installations={installations}
              chosen={chosen}
              onChoose={(installationId) => void setValues({ ...values, installationId })}
            />
          )}
        </Group>
      )}
      {data && installations.length > 0 && !chosen && (
        <Text size="sm" role="status">
          The installation of this address is not listed: it may be gone, or belong to a customer who is not
          listed here.
        </Text>
      )}
      {chosen && (
        <Tabs
          value={values["tab"] === "proxy" ? "proxy" : "write"}
          onChange={(tab) => setValues({ ...values, tab: tab === "proxy" ? tab : undefined })}
        >
          <Tabs.List>
            <Tabs.Tab value="write">Write</Tabs.Tab>
            <Tabs.Tab value="proxy">Proxy</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="write" pt="md">
            <WriteForm key={key} installation={chosen} text={again?.text} />
          </Tabs.Panel>
          <Tabs.Panel value="proxy" pt="md">
            <ProxyForm key={key} installation={chosen} text={again?.text} />
          </Tabs.Panel>
        </Tabs>
      )}
      <SentCallsTable
        onUse={(sent) => {
          // The fields of the form are drawn anew, so the address must be there first.
          void setValues({ ...sent.filters }).then(() => setAgain(sent));
        }}
      />
    </Page>
  );
}

type Installation = Answer<"listProjectInstallations">["results"][number];

/**
 * Returns the installation that the address names, and never another one in its place, because calls are real. Without one in
 * the address it is the newest at first, and stays the same when the list changes.
 */
function useChosen(
  installations: readonly Installation[],
  named: string | undefined,
): Installation | undefined {
  const [first, setFirst] = useState<string>();
  const kept = installations.find(({ id }) => id === (named ?? first));
  const [newest] = installations;
  if (named === undefined && !kept && newest) setFirst(newest.id);
  return kept;
}

interface InstallationChoiceProps {
  installations: readonly Installation[];
  chosen: Installation | undefined;
  onChoose: (id: string) => void;
}

const InstallationChoice = ({ installations, chosen, onChoose }: InstallationChoiceProps): JSX.Element => (
  <NativeSelect
    label="Installation"
    w={360}
    maw="100%"
    data={[
      ...(chosen ? [] : [{ value: "", label: "Choose" }]),
      ...installations.map(({ id, group, integrationName }) => ({
        value: id,
        label: `${isolateName(group.groupName || group.groupRef)} · ${integrationName}`,
      })),
    ]}
    value={chosen?.id ?? ""}
    onChange={({ currentTarget }) => onChoose(currentTarget.value)}
  />
);

interface CustomerFieldProps {
  groupRef: string;
  onGroupRef: (groupRef: string) => void;
}

function CustomerField({ groupRef, onGroupRef }: CustomerFieldProps): JSX.Element {
  const { typed, type } = usePausedText(groupRef, onGroupRef);
  return (
    <TextInput
      label="Customer"
      placeholder="Id"
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}

const NoInstallation = (): JSX.Element => (
  <Section>
    <EmptyState
      title="No installation"
      action={<ProjectButton to="/customers">Install for a customer</ProjectButton>}
    >
      A call is made for an installation: an integration that is installed for a customer.
    </EmptyState>
  </Section>
);

const buildColumns = (onUse: (sent: SentCall) => void): Column<SentCall>[] => [
  { head: "Time", cell: ({ time }) => <TimeAgo time={time} />, line: 2 },
  { head: "Status", cell: ({ status }) => <Status status={status} />, line: 2 },
  {
    head: "Call",
    cell: ({ words, to }) =>
      to ? <ProjectLink to={to}>{words}</ProjectLink> : <span className="foreign">{words}</span>,
    grows: true,
    line: 1,
  },
  {
    head: "Again",
    cell: (sent) => (
      <Button size="compact-sm" variant="default" onClick={() => onUse(sent)}>
        Fill in again
      </Button>
    ),
    line: 1,
  },
];

function SentCallsTable({ onUse }: { onUse: (sent: SentCall) => void }): JSX.Element | null {
  const calls = useSentCalls();
  if (calls.length === 0) return null;
  return (
    <Section title="Sent in this tab" flush>
      <DataTable
        name="Sent in this tab"
        columns={buildColumns(onUse)}
        rows={calls}
        getId={({ id }) => String(id)}
      />
      <Text size="xs" c="dimmed" p="xs">
        Kept in the memory of this tab only.
      </Text>
    </Section>
  );
}
