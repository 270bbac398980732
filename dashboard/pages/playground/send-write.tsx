/** Sends a write, as a dry run or for real, and shows the answer. */
import type { JSX } from "react";
import { Alert, Group, Stack, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Answer, call, type Input } from "../../api/call.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProductionQuestion } from "../../frame/production.tsx";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { nowMs } from "../../ui/clock.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { JsonView } from "../../ui/code/code-block.tsx";
import { Section } from "../../ui/section.tsx";
import { rememberCall } from "./sent-calls.ts";
import type { Schemas } from "../../api.gen.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Status } from "../../ui/status.tsx";

export interface WriteCall {
  input: Input<"writeRecords">;
  headers: Record<string, string>;
}

interface SendWriteProps {
  sent: WriteCall;
  problem: string | undefined;
  share: string;
  again: { filters: Readonly<Record<string, string | undefined>>; text: string };
}

export function SendWrite({ sent, problem, share, again }: SendWriteProps): JSX.Element {
  const client = useQueryClient();
  const write = useMutation({
    mutationFn: (dryRun: boolean) =>
      call(
        "writeRecords",
        { ...sent.input, ...(dryRun && { dryRun }) },
        { headers: dryRun ? {} : sent.headers },
      ),
    onSettled: (answer, error, dryRun) => {
      if (dryRun) return;
      void client.invalidateQueries({ queryKey: ["listProjectOperations"] });
      rememberCall({
        time: new Date(nowMs()).toISOString(),
        words: `${sent.input.body.type} ${sent.input.objectName}`,
        status: error ? "failure" : describeStatus(answer),
        ...(answer && "operationId" in answer && { to: `/operations/${encodePart(answer.operationId)}` }),
        ...again,
      });
    },
  });
  const question = useProductionQuestion("Send this write", "Send");
  const mayTry = useReason("support");
  const mayWrite = useReason("editor");
  return (
    <>
      <Group gap="xs" align="flex-start">
        <ActionButton
          variant="default"
          reason={mayTry ?? problem}
          loading={write.isPending && write.variables}
          onClick={() => write.mutate(true)}
        >
          Dry run
        </ActionButton>
        <ActionButton
          reason={mayWrite}
          disabled={problem !== undefined}
          loading={write.isPending && !write.variables}
          onClick={() => question.ask(() => write.mutate(false))}
        >
          Send
        </ActionButton>
        <CopyButton text={share} label="Share without values" wide size="sm" />
      </Group>
      {question.dialog}
      <ProblemView error={write.error} />
      {write.data && <WriteAnswer answer={write.data} />}
    </>
  );
}

const describeStatus = (
  answer: Answer<"writeRecords"> | undefined,
): "success" | "failure" | "in_progress" => {
  if (!answer || "dryRun" in answer) return "success";
  if ("failureCount" in answer) return answer.failureCount > 0 ? "failure" : "success";
  return "result" in answer ? (answer.result.success ? "success" : "failure") : "in_progress";
};

function WriteAnswer({ answer }: { answer: Answer<"writeRecords"> }): JSX.Element {
  const isDry = "dryRun" in answer;
  return (
    <Section title="Answer" region="Answer">
      <Stack gap="sm">
        {isDry && (
          <Alert variant="outline" color="gray" title="Dry run: nothing was sent">
            {answer.requests.length === 1 ? "One request" : `${answer.requests.length} requests`} would be
            sent.
          </Alert>
        )}
        {isDry && <DryRunAnswer answer={answer} />}
        {"operationId" in answer && (
          <ProjectLink to={`/operations/${encodePart(answer.operationId)}`}>Open the operation</ProjectLink>
        )}
        <JsonView name="JSON" value={isDry ? answer.requests : answer} />
      </Stack>
    </Section>
  );
}

interface PlannedField {
  id: string;
  field: string;
  value: string;
  fate: "accepted" | "partial" | "disabled";
  words: string;
}

const COLUMNS: Column<PlannedField>[] = [
  { head: "Field", cell: ({ field }) => <code className="foreign">{field}</code>, line: 1 },
  { head: "Value", cell: ({ value }) => <span className="foreign">{value}</span>, line: 2 },
  { head: "Sent", grows: true, cell: ({ fate, words }) => <Status status={fate}>{words}</Status>, line: 1 },
];

function listFields({ fields, withheld, ifEmpty }: Schemas["DryRun"]["records"][number]): PlannedField[] {
  const sent = Object.entries(fields).map(([field, value]): PlannedField => ({
    id: `sent ${field}`,
    field,
    value: typeof value === "string" ? value : JSON.stringify(value),
    ...(ifEmpty.includes(field)
      ? { fate: "partial", words: "if it is empty at the provider" }
      : { fate: "accepted", words: "sent" }),
  }));
  const kept = withheld.map(({ field, reason }): PlannedField => ({
    id: `withheld ${field}`,
    field,
    value: "–",
    fate: "disabled",
    words: `withheld: ${reason}`,
  }));
  return [...sent, ...kept];
}

const DryRunAnswer = ({ answer }: { answer: Schemas["DryRun"] }): JSX.Element => (
  <>
    {answer.records.map((record, index) => {
      const name = answer.records.length > 1 ? `Fields of record ${index + 1}` : "Fields";
      return (
        // oxlint-disable-next-line react/no-array-index-key -- records have no ids, and the answer does not change
        <div key={index}>
          <Title order={3} mb={4}>
            {record.id === undefined ? name : `${name}, ${record.id}`}
          </Title>
          <DataTable name={name} columns={COLUMNS} rows={listFields(record)} getId={({ id }) => id} />
        </div>
      );
    })}
  </>
);
