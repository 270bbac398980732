/** One customer: connections, installations, activity, deliveries and operations. */
import { useState, type JSX } from "react";
import { Button, Group, TextInput } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import type { RowOf } from "../../api/live-list.ts";
import { ActivityGraphs } from "../../frame/data/activity-graph.tsx";
import { LiveTable } from "../../frame/list-page.tsx";
import { HealthReasons } from "../../frame/data/health-reasons.tsx";
import { OperationsTable } from "../../frame/data/operations-table.tsx";
import { encodePart, ProjectLink, useOpenInProject, toInstallationPath } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ProviderName } from "../../frame/data/provider-name.tsx";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { ConnectionStatus } from "../../frame/data/connection-status.tsx";
import { ReadPauses } from "../../frame/data/read-pauses.tsx";
import { ConnectCustomer } from "./connect-customer.tsx";
import { CustomerDeliveries } from "./customer-deliveries.tsx";
import { InstallIntegration } from "./install-integration.tsx";
import { useCallForm } from "../../api/call-form.ts";
import { useDraft } from "../../frame/drafts.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";

export function CustomerPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { ref: groupRef = "" } = useParams({ strict: false });
  const input = { projectIdOrName, groupRef };
  const { data, error, refetch } = useCall("getGroup", input, { everyMs: POLL_MS.list });
  const [dialog, setDialog] = useState<Dialog>();
  return (
    <Page
      title={data?.groupName ?? groupRef}
      above={<ProjectLink to="/customers">Customers</ProjectLink>}
      mark={data?.healthStatus && <Status status={data.healthStatus} />}
      actions={
        data && <CustomerActions input={input} name={data.groupName} dialog={dialog} onDialog={setDialog} />
      }
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && (
        <>
          <HealthReasons reasons={data.healthReasons} />
          <Section>
            <Facts
              facts={{
                Id: <IdText id={data.groupRef} />,
                Created: <TimeAgo time={data.createTime} focusable />,
                "Last operation": <TimeAgo time={data.lastActivityTime} focusable />,
                Events: (
                  <ProjectLink to={`/events?groupRef=${encodePart(groupRef)}`}>
                    Events of this customer
                  </ProjectLink>
                ),
                Records: (
                  <ProjectLink to={`/trace?groupRef=${encodePart(groupRef)}`}>
                    Why did a record not arrive?
                  </ProjectLink>
                ),
              }}
            />
          </Section>
          <Connections input={input} onConnect={() => setDialog("connect")} />
          <Installations input={input} onInstall={() => setDialog("install")} />
          <ActivityGraphs only={{ by: "group", key: groupRef }} />
          <CustomerDeliveries input={input} />
          <OperationsTable input={input} playground={`groupRef=${encodePart(groupRef)}`} heading />
        </>
      )}
    </Page>
  );
}

type Dialog = "connect" | "install" | "rename";

interface CustomerActionsProps extends OfCustomer {
  name: string;
  dialog: Dialog | undefined;
  onDialog: (dialog: Dialog | undefined) => void;
}

function CustomerActions({ input, name, dialog, onDialog }: CustomerActionsProps): JSX.Element {
  const open = useOpenInProject();
  const reason = useReason("editor");
  const close = () => onDialog(undefined);
  return (
    <Group gap="xs" align="flex-start">
      <ActionButton variant="default" reason={reason} onClick={() => onDialog("rename")}>
        Rename
      </ActionButton>
      <Button variant="default" disabled={reason !== undefined} onClick={() => onDialog("install")}>
        Install
      </Button>
      <Button disabled={reason !== undefined} onClick={() => onDialog("connect")}>
        Connect
      </Button>
      {dialog === "rename" && <RenameCustomer input={input} name={name} onClose={close} />}
      {dialog === "connect" && (
        <ConnectCustomer groupRef={input.groupRef} onClose={close} onConnected={close} />
      )}
      {dialog === "install" && (
        <InstallIntegration
          input={input}
          onClose={close}
          onInstalled={({ id }, integrationName) => open(buildAddress({ id, integrationName }))}
        />
      )}
    </Group>
  );
}

interface OfCustomer {
  input: { projectIdOrName: string; groupRef: string };
}

const CONNECTION_COLUMNS: Column<RowOf<"listProjectConnections">>[] = [
  {
    head: "Connection",
    cell: ({ id, provider }) => (
      <ProjectLink to={`/connections/${encodePart(id)}`}>
        <ProviderName provider={provider} />
      </ProjectLink>
    ),
    line: 1,
  },
  { head: "Status", cell: (connection) => <ConnectionStatus connection={connection} />, line: 1 },
  { head: "User", cell: ({ consumer }) => <span className="foreign">{consumer.consumerName}</span>, line: 2 },
  { head: "Created", cell: ({ createTime }) => <TimeAgo time={createTime} />, grows: true, line: 2 },
];

function Connections({ input, onConnect }: OfCustomer & { onConnect: () => void }): JSX.Element {
  const open = useOpenInProject();
  const reason = useReason("editor");
  return (
    <LiveTable
      name="Connections"
      heading
      operationId="listProjectConnections"
      input={input}
      columns={CONNECTION_COLUMNS}
      getId={getId}
      onOpen={({ id }) => open(`/connections/${encodePart(id)}`)}
      empty={
        <EmptyState title="No connection" action="Connect an account" reason={reason} onAction={onConnect}>
          The customer has not connected an account yet.
        </EmptyState>
      }
    />
  );
}

type Installation = RowOf<"listProjectInstallations">;

const buildAddress = ({ integrationName, id }: Pick<Installation, "integrationName" | "id">): string =>
  toInstallationPath(integrationName, id);

const INSTALLATION_COLUMNS: Column<Installation>[] = [
  {
    head: "Installation of",
    cell: (row) => <ProjectLink to={buildAddress(row)}>{row.integrationName}</ProjectLink>,
    line: 1,
  },
  { head: "Status", cell: ({ healthStatus }) => <Status status={healthStatus} />, line: 1 },
  { head: "Reading", cell: (row) => <ReadPauses readPauses={row.readPauses} />, line: 2 },
  {
    head: "Last operation",
    labelled: true,
    cell: ({ lastOperationStatus }) =>
      lastOperationStatus ? <Status status={lastOperationStatus} /> : <span className="soft">none</span>,
    line: 2,
  },
  { head: "Created", cell: ({ createTime }) => <TimeAgo time={createTime} />, grows: true, line: 2 },
];

function Installations({ input, onInstall }: OfCustomer & { onInstall: () => void }): JSX.Element {
  const open = useOpenInProject();
  const reason = useReason("editor");
  return (
    <LiveTable
      name="Installations"
      heading
      operationId="listProjectInstallations"
      input={input}
      columns={INSTALLATION_COLUMNS}
      getId={getId}
      onOpen={(row) => open(buildAddress(row))}
      empty={
        <EmptyState
          title="No installation"
          action="Install an integration"
          reason={reason}
          onAction={onInstall}
        >
          No integration is installed for this customer.
        </EmptyState>
      }
    />
  );
}

const getId = ({ id }: { id: string }): string => id;

interface RenameCustomerProps {
  input: { projectIdOrName: string; groupRef: string };
  name: string;
  onClose: () => void;
}

function RenameCustomer({ input, name, onClose }: RenameCustomerProps): JSX.Element {
  const { projectIdOrName, groupRef } = input;
  const rename = useChange("createGroup", {
    forget: ["getGroup", "listGroups", "listProjectConnections", "listProjectInstallations"],
  });
  const fields = useCallForm({ groupName: name }, rename.error);
  const { groupName } = fields.values;
  const sent = { projectIdOrName, body: { groupRef, groupName } };
  useDraft("createGroup", sent);
  return (
    <FormDialog
      title="Rename customer"
      submit="Rename"
      busy={rename.isPending}
      problem={<ProblemView error={rename.error} />}
      onSubmit={() => rename.mutate(sent, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput label="Name" {...fields.getInputProps("groupName")} required data-autofocus />
    </FormDialog>
  );
}
