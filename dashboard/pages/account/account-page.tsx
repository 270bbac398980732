/** The signed-in person: sessions, organisations, an invitation to accept. */
import { useState, type FormEvent, type JSX } from "react";
import { Button, Group, Stack, TextInput, Title } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { findIssue, useCall, useChange } from "../../api/queries.ts";
import { AnswerTable } from "../../frame/data/answer-table.tsx";
import { PageLink } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { Section } from "../../ui/section.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { describeProgram } from "./program-words.ts";

export function AccountPage(): JSX.Element {
  const { data, error, refetch } = useCall("getMyInfo", {});
  return (
    <Page title="Account">
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && <Person me={data} />}
      <AcceptInvite />
      <Sessions />
    </Page>
  );
}

const Person = ({ me }: { me: Schemas["BuilderInfo"] }): JSX.Element => (
  <Section title="You">
    <Facts
      facts={{
        Name: me.builder.fullName,
        Address: me.builder.primaryEmail,
        Id: <IdText id={me.builder.id} />,
        Organisations: (
          <Stack gap={2}>
            {me.orgRoles.map(({ org, role }) => (
              <span key={org.id}>
                <PageLink to={`/orgs/${org.id}/people`}>{org.label}</PageLink> · {role.replace("org:", "")}
              </span>
            ))}
          </Stack>
        ),
      }}
    />
  </Section>
);

function AcceptInvite(): JSX.Element {
  const [invitedEmail, setInvitedEmail] = useState("");
  const accept = useChange("acceptInvite", { forget: ["getMyInfo", "listProjects"] });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate({ body: { invitedEmail } }, { onSuccess: () => setInvitedEmail("") });
  };
  return (
    <Section title="Invitation">
      <form onSubmit={submit}>
        <Stack>
          <Group align="flex-end">
            <TextInput
              label="Invited e-mail address"
              value={invitedEmail}
              onChange={(event) => setInvitedEmail(event.currentTarget.value)}
              error={findIssue(accept.error, "invitedEmail")}
              required
            />
            <Button type="submit" variant="default" loading={accept.isPending}>
              Accept
            </Button>
          </Group>
          <ProblemView error={accept.error} />
        </Stack>
      </form>
    </Section>
  );
}

type Session = Schemas["ListedSession"];

function Sessions(): JSX.Element {
  const end = useChange("deleteSession", { forget: ["listSessions"] });
  const endOthers = useChange("deleteOtherSessions", { forget: ["listSessions"] });
  return (
    <>
      <ProblemView error={end.error ?? endOthers.error} />
      <Group justify="space-between" mb="xs">
        <Title order={2}>Sessions</Title>
        <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate({})}>
          Sign out everywhere else
        </Button>
      </Group>
      <AnswerTable
        name="Sessions"
        operationId="listSessions"
        input={{}}
        columns={buildColumns((sessionId) => end.mutate({ sessionId }))}
        getId={({ id }) => id}
        empty={<EmptyState title="No sessions">You signed in without a session of Busbar.</EmptyState>}
      />
    </>
  );
}

const buildColumns = (onEnd: (id: string) => void): Column<Session>[] => [
  {
    head: "Browser or program",
    cell: ({ userAgent = "–" }) => (
      <span className="foreign" title={userAgent}>
        {describeProgram(userAgent)}
      </span>
    ),
    grows: true,
    line: 1,
  },
  { head: "Sent as", cell: ({ kind }) => kind, line: 2 },
  { head: "Last used", labelled: true, cell: ({ lastUsedTime }) => <TimeAgo time={lastUsedTime} />, line: 2 },
  { head: "Signed in", cell: ({ createTime }) => <TimeAgo time={createTime} /> },
  {
    head: "Actions",
    line: 1,
    cell: ({ id, current }) =>
      current ? (
        <span style={{ whiteSpace: "nowrap" }}>this one</span>
      ) : (
        <Button size="compact-sm" variant="default" onClick={() => onEnd(id)}>
          End
        </Button>
      ),
  },
];
