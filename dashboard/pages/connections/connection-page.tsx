/** One connection: its customer, its status, who uses it; checked, connected again and deleted here. */
import { useState, type JSX } from "react";
import { Alert, Group, Stack, Text } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { Answer } from "../../api/call.ts";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { encodePart, ProjectLink, toProjectPath, toInstallationPath } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ProviderName } from "../../frame/data/provider-name.tsx";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { isolateName } from "../../ui/isolated.ts";
import { Section } from "../../ui/section.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { AccountFields } from "./account-fields.tsx";
import { ConnectAgain } from "./connect-again.tsx";
import { Credentials } from "./credentials.tsx";
import { ConnectionStatus } from "../../frame/data/connection-status.tsx";
import { StatusHistory } from "./status-history.tsx";

type Connection = Answer<"getConnection">;

interface Path {
  projectIdOrName: string;
  connectionId: string;
}

export function ConnectionPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { id: connectionId = "" } = useParams({ strict: false });
  const input = { projectIdOrName, connectionId };
  const { data, error, refetch } = useCall("getConnection", input, { everyMs: POLL_MS.list });
  const customer = data?.group.groupName || data?.group.groupRef || "";
  return (
    <Page
      title={data ? `${isolateName(customer)} · ${data.provider}` : connectionId}
      above={<ProjectLink to="/connections">Connections</ProjectLink>}
      mark={data && <ConnectionStatus connection={data} />}
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && <Loaded connection={data} input={input} />}
    </Page>
  );
}

function Loaded({ connection, input }: { connection: Connection; input: Path }): JSX.Element {
  const check = useChange("checkConnection", {
    forget: ["getConnection", "listProjectConnections", "getGroup"],
  });
  const reason = useReason("support");
  const found = check.data?.check;
  return (
    <>
      <Section
        title="Status"
        actions={
          <ActionButton
            variant="default"
            size="xs"
            reason={reason}
            loading={check.isPending}
            onClick={() => check.mutate(input)}
          >
            Check now
          </ActionButton>
        }
      >
        {connection.status === "bad_credentials" && (
          <Text size="sm" mb="xs">
            The provider refuses the credentials. Writes, reads and proxied calls of this customer fail until
            the account is connected again.
          </Text>
        )}
        {connection.status === "created" && !connection.verified && (
          <Text size="sm" mb="xs">
            The provider has not accepted the credentials yet. If it did not answer, they are tried again. If
            there is nothing to try them by, the first call shows it.
          </Text>
        )}
        {connection.refreshFailure && (
          <Text size="sm" mb="xs">
            <span className="foreign">{connection.refreshFailure.detail}</span> Since{" "}
            <TimeAgo time={connection.refreshFailure.since} />.
          </Text>
        )}
        <Stack gap="xs">
          <ConnectAgain connection={connection} onDone={() => check.mutate(input)} />
          <ProblemView error={check.error} />
        </Stack>
        <div role="status">
          {found && (
            <Alert
              variant="outline"
              color={found.working ? "gray" : "red"}
              title={found.working ? "Works" : "Does not work"}
              mt="xs"
            >
              <span className="foreign">{found.detail}</span>
            </Alert>
          )}
        </div>
      </Section>
      <About connection={connection} />
      {/* The search for these events is expensive, so it is repeated when the status changes, otherwise seldom. */}
      <StatusHistory key={connection.status} {...input} />
      <UsedBy connection={connection} input={input} />
      <Credentials connection={connection} input={input} />
      <AccountFields connection={connection} />
    </>
  );
}

const About = ({ connection }: { connection: Connection }): JSX.Element => (
  <Section title="About">
    <Facts
      facts={{
        Id: <IdText id={connection.id} />,
        Provider: <ProviderName provider={connection.provider} />,
        Customer: (
          <ProjectLink to={`/customers/${encodePart(connection.group.groupRef)}`}>
            {connection.group.groupRef}
          </ProjectLink>
        ),
        User: <IdText id={connection.consumer.consumerRef} label="Copy user" />,
        Workspace: connection.providerWorkspaceRef,
        Authentication: connection.authScheme,
        "Scopes asked for": connection.providerApp?.scopes?.join(" "),
        Created: <TimeAgo time={connection.createTime} focusable />,
        Changed: connection.updateTime && <TimeAgo time={connection.updateTime} focusable />,
        Events: (
          <ProjectLink to={`/events?connectionId=${encodePart(connection.id)}`}>
            Events of this connection
          </ProjectLink>
        ),
      }}
    />
  </Section>
);

/** The installations that use it; while there are some, it cannot be deleted. */
function UsedBy({ connection, input }: { connection: Connection; input: Path }): JSX.Element {
  const { projectIdOrName } = input;
  const of = { projectIdOrName, groupRef: connection.group.groupRef };
  const { data } = useCall("listProjectInstallations", of, { everyMs: POLL_MS.list });
  const users = data?.results.filter((one) => one.connection.id === connection.id);
  const names = users?.map(({ integrationName }) => integrationName).join(", ");
  const role = useReason("editor");
  const [asked, setAsked] = useState(false);
  const navigate = useNavigate();
  const remove = useChange("deleteConnection", { forget: ["listProjectConnections", "listGroups"] });
  const inUse = names ? `In use by the installation of ${names}. Uninstall first.` : undefined;
  const leave = () => void navigate({ to: toProjectPath(projectIdOrName, "/connections") });
  return (
    <Section title="Used by">
      {users?.length === 0 && <Text size="sm">No installation uses it.</Text>}
      <Group gap="md" mb="sm">
        {users?.map(({ id, integrationName }) => (
          <ProjectLink key={id} to={toInstallationPath(integrationName, id)}>
            {integrationName}
          </ProjectLink>
        ))}
      </Group>
      <ActionButton
        variant="default"
        size="xs"
        reason={role ?? (users ? inUse : "Looking up who uses it.")}
        onClick={() => setAsked(true)}
      >
        Delete
      </ActionButton>
      <ConfirmDelete
        opened={asked}
        what={`connection ${connection.group.groupRef} · ${connection.provider}`}
        busy={remove.isPending}
        problem={<ProblemView error={remove.error} />}
        onDelete={() => remove.mutate(input, { onSuccess: leave })}
        onClose={() => setAsked(false)}
      >
        The credentials are removed. The customer has to connect again to use the provider.
      </ConfirmDelete>
    </Section>
  );
}
