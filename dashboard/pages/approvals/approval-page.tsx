/** One act of an agent: what it would change, who asked, and the decision. */
import { useState, type JSX } from "react";
import { Alert, Group, Stack, Text, TextInput } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { Answer } from "../../api/call.ts";
import { findIssue, POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { useDraft } from "../../frame/drafts.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProductionQuestion } from "../../frame/production.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Icon } from "../../ui/icons.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { isolateName } from "../../ui/isolated.ts";
import { CodeBlock, JsonView } from "../../ui/code/code-block.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { listChanges, type FieldChange } from "./change-words.ts";

type Approval = Answer<"getApproval">;

export function ApprovalPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { id: approvalId = "" } = useParams({ strict: false });
  const input = { projectIdOrName, approvalId };
  const { data, error, refetch } = useCall("getApproval", input, {
    everyMs: (approval) => (approval && isOpen(approval) ? POLL_MS.underWay : POLL_MS.overview),
  });
  return (
    <Page
      title={data ? `${data.tool} · ${isolateName(data.groupRef ?? projectIdOrName)}` : approvalId}
      above={<ProjectLink to="/approvals">Approvals</ProjectLink>}
      mark={data && <Status status={data.status} />}
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && <Outcome approval={data} />}
      {data && <Change approval={data} />}
      {data?.status === "pending" && <Decision input={input} />}
      {data && <About approval={data} />}
    </Page>
  );
}

const isOpen = ({ status }: Approval): boolean => status === "pending" || status === "approved";

const OUTCOMES: Partial<Record<Approval["status"], string>> = {
  approved: "It is carried out in a moment, or once agents are not paused and a budget has room.",
  executed: "It was sent. Its operation says with what outcome.",
  stale: "The record was not as it was shown any more. Nothing was sent; the agent has to ask again.",
  expired: "Nobody decided in time. Nothing was sent.",
  rejected: "It will not be carried out. Nothing was sent.",
  failed: "It could not be carried out.",
};

function Outcome({ approval: { status, reason, operationId } }: { approval: Approval }): JSX.Element | null {
  const words = OUTCOMES[status];
  if (words === undefined) return null;
  const isBad = status === "failed" || status === "stale";
  return (
    <Alert
      variant="outline"
      color={isBad ? "red" : "gray"}
      title={words}
      icon={<Icon name={isBad ? "alert" : "check"} />}
    >
      {reason !== undefined && (
        <Text size="sm" className="foreign">
          {reason}
        </Text>
      )}
      {operationId !== undefined && (
        <ProjectLink to={`/operations/${encodePart(operationId)}`}>Its operation</ProjectLink>
      )}
    </Alert>
  );
}

const showForeign = (text: string | undefined) => <span className="foreign">{text ?? "–"}</span>;

const COLUMNS: Column<FieldChange>[] = [
  { head: "Field", cell: ({ field }) => <span className="foreign">{field}</span>, line: 1 },
  { head: "Before", cell: ({ before }) => showForeign(before), line: 2, labelled: true },
  { head: "After", cell: ({ after }) => showForeign(after), line: 2, labelled: true, grows: true },
];

/** Beside what the agent sent, which may name fields otherwise. */
function Change({ approval }: { approval: Approval }): JSX.Element {
  const changes = listChanges(approval);
  const sent = Object.entries(approval.arguments);
  // A manifest is read line by line, not as a text of JSON.
  const isText = ([, one]: [string, unknown]) => typeof one === "string" && one.includes("\n");
  const texts = sent.filter(isText);
  const others = sent.filter((one) => !isText(one));
  return (
    <>
      {changes.length > 0 && (
        <Section title={approval.after === undefined ? "What is deleted" : "What changes"} flush>
          <DataTable name="What changes" columns={COLUMNS} rows={changes} getId={({ field }) => field} />
        </Section>
      )}
      <Section title="What the agent sent">
        <Stack gap="sm">
          {texts.map(([name, text]) => (
            <CodeBlock key={name} name={name} text={String(text)} />
          ))}
          {others.length > 0 && <JsonView name="What the agent sent" value={Object.fromEntries(others)} />}
        </Stack>
      </Section>
    </>
  );
}

function Decision({ input }: { input: { projectIdOrName: string; approvalId: string } }): JSX.Element {
  const [typed, setTyped] = useState("");
  const decide = useChange("decideApproval", { forget: ["getApproval", "listApprovals"] });
  const mayNot = useReason("editor");
  const body = (decision: "approve" | "reject") => ({
    ...input,
    body: { decision, ...(typed !== "" && { reason: typed }) },
  });
  const question = useProductionQuestion("Approve this act", "Approve");
  useDraft("decideApproval", body("approve"));
  return (
    <Section title="Decide">
      <Stack gap="sm" maw={480}>
        <TextInput
          label="Reason"
          description="Optional; the agent reads it."
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          error={findIssue(decide.error, "reason")}
        />
        <ProblemView error={decide.error} />
        <Group>
          <ActionButton
            reason={mayNot}
            loading={decide.isPending}
            onClick={() => question.ask(() => decide.mutate(body("approve")))}
          >
            Approve
          </ActionButton>
          <ActionButton
            variant="default"
            reason={mayNot}
            loading={decide.isPending}
            onClick={() => decide.mutate(body("reject"))}
          >
            Reject
          </ActionButton>
        </Group>
      </Stack>
      {question.dialog}
    </Section>
  );
}

function About({ approval }: { approval: Approval }): JSX.Element {
  const { id, groupRef, integration, object, recordId, actor, decidedBy } = approval;
  return (
    <Section title="About">
      <Facts
        facts={{
          Customer: groupRef && (
            <ProjectLink to={`/customers/${encodePart(groupRef)}`}>{groupRef}</ProjectLink>
          ),
          Integration: integration,
          Object: object,
          Record: recordId && <IdText id={recordId} label="Copy record id" />,
          Agent: actor.client,
          Credential: actor.name ?? actor.id,
          Asked: <TimeAgo time={approval.createTime} focusable />,
          Expires: isOpen(approval) ? <TimeAgo time={approval.expireTime} focusable /> : undefined,
          Decided: approval.decideTime && <TimeAgo time={approval.decideTime} focusable />,
          "Decided by": decidedBy && (decidedBy.name ?? decidedBy.id),
          Id: <IdText id={id} />,
        }}
      />
    </Section>
  );
}
