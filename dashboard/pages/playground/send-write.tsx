/** Sends a write, as a dry run or for real, and shows the answer. */
import type { JSX } from "react";
import { Alert, Group, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, type Answer, type Input } from "../../api/call.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProductionQuestion } from "../../frame/production.tsx";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { nowMs } from "../../ui/clock.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { JsonView } from "../../ui/code/code-block.tsx";
import { Section } from "../../ui/section.tsx";
import { DryRunAnswer } from "./dry-run-answer.tsx";
import { rememberCall } from "./sent-calls.ts";

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
