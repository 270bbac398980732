/** One operation: how it went and what to do, its steps, its records. */
import type { JSX } from "react";
import { Alert, Group, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { Answer } from "../../api/call.ts";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { encodePart, ProjectLink, toInstallationPath } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Icon } from "../../ui/icons.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { isolateName } from "../../ui/isolated.ts";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { formatSpan } from "../../ui/time-words.ts";
import { OperationSteps } from "./operation-steps.tsx";

type Operation = Answer<"getOperation">;

export function OperationPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { id: operationId = "" } = useParams({ strict: false });
  const input = { projectIdOrName, operationId };
  const { data, error, refetch } = useCall("getOperation", input, {
    everyMs: (operation) => (operation?.status === "in_progress" ? POLL_MS.underWay : POLL_MS.overview),
  });
  // The end of an operation changes the key, so that its last steps are asked for at once.
  const logs = useCall("listOperationLogs", input, {
    everyMs: data?.status === "in_progress" ? POLL_MS.underWay : POLL_MS.overview,
  });
  const customer = data?.groupName ?? data?.groupRef ?? operationId;
  return (
    <Page
      title={data ? `${data.actionType} ${data.resource} · ${isolateName(customer)}` : operationId}
      above={<ProjectLink to="/operations">Operations</ProjectLink>}
      mark={data && <Status status={data.status} />}
      actions={data && <Actions operation={data} input={input} />}
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && <Verdict operation={data} steps={logs.data ?? []} />}
      {data && (
        <Section title="Steps" flush>
          <ProblemView error={logs.data ? null : logs.error} onRetry={() => void logs.refetch()} />
          {logs.data && <OperationSteps steps={logs.data} begun={data.createTime} />}
        </Section>
      )}
      {data && <About operation={data} />}
    </Page>
  );
}

function Actions({
  operation,
  input,
}: {
  operation: Operation;
  input: { projectIdOrName: string; operationId: string };
}): JSX.Element {
  const cancel = useChange("cancelOperation", {
    forget: ["getOperation", "listOperationLogs", "listProjectOperations"],
  });
  const reason = useReason("support");
  return (
    <Group gap="xs" align="flex-start">
      {operation.status === "in_progress" ? (
        <ActionButton
          variant="default"
          reason={reason}
          loading={cancel.isPending}
          onClick={() => cancel.mutate(input)}
        >
          Cancel operation
        </ActionButton>
      ) : (
        operation.actionType === "write" && (
          <ProjectLink to={`/playground?${fillPlaygroundFilters(operation)}`}>Write again</ProjectLink>
        )
      )}
      <ProblemView error={cancel.error} />
    </Group>
  );
}

/** Fills the playground with all but the values, which are not kept. */
const fillPlaygroundFilters = ({ installationId, groupRef = "", resource }: Operation): string =>
  new URLSearchParams({ installationId, groupRef, object: resource }).toString();

/** The result and, after a failure, what to do. */
function Verdict({
  operation,
  steps,
}: {
  operation: Operation;
  steps: Answer<"listOperationLogs">;
}): JSX.Element | null {
  if (operation.status === "in_progress") return null;
  const isFailure = operation.status === "failure";
  const remedy = isFailure ? findRemedy(operation.result, steps) : undefined;
  return (
    <Alert
      variant="outline"
      color={isFailure ? "red" : "gray"}
      title={isFailure ? "Failed" : "Done"}
      icon={<Icon name={isFailure ? "alert" : "check"} />}
    >
      <Text size="sm" className="foreign">
        {operation.result}
      </Text>
      {remedy && (
        <Text size="sm" mt={6}>
          <b>What to do:</b> {remedy}
        </Text>
      )}
    </Alert>
  );
}

function About({ operation }: { operation: Operation }): JSX.Element {
  const { id, integrationName, installationId, groupRef, requestId, metadata, createTime, updateTime } =
    operation;
  const { successfulRecordIds = [], failedRecordIds = [], retry, read, progress } = metadata;
  const ids = (all: readonly string[]) =>
    all.map((one) => <IdText key={one} id={one} label={`Copy ${one}`} />);
  const installation = toInstallationPath(integrationName ?? operation.integrationId, installationId);
  return (
    <Section title="About">
      <Facts
        facts={{
          Customer: groupRef && (
            <ProjectLink to={`/customers/${encodePart(groupRef)}`}>{groupRef}</ProjectLink>
          ),
          Integration: integrationName,
          Installation: <ProjectLink to={installation}>{installationId}</ProjectLink>,
          "Written records": successfulRecordIds.length > 0 ? ids(successfulRecordIds) : undefined,
          "Failed records": failedRecordIds.length > 0 ? ids(failedRecordIds) : undefined,
          "Records read": read?.records,
          "Estimated records": progress?.recordsEstimatedTotal,
          Attempts: retry?.attempts,
          Began: <TimeAgo time={createTime} focusable />,
          Took:
            operation.status !== "in_progress" && updateTime ? formatSpan(createTime, updateTime) : undefined,
          Request: requestId && <IdText id={requestId} label="Copy request id" />,
          Events: <ProjectLink to={`/events?operationId=${id}`}>Events of this operation</ProjectLink>,
          Id: <IdText id={id} />,
        }}
      />
    </Section>
  );
}

interface Step {
  severity: string;
  message: { details?: Readonly<Record<string, string>> };
}

/** What to do about a failed operation, by the kind that the connector gave the error. */
const REMEDIES: Readonly<Record<string, string>> = {
  unauthorized: "The customer has to connect the account again; then send the write again.",
  forbidden:
    "The account may not do this. Check the scopes of the provider app and the rights of the person who connected.",
  not_found: "The record or object is not in the customer's account. Check its id.",
  conflict: "Another record has one of these values. Update that record, or change the value.",
  invalid: "The provider refuses a value. Correct the field that the error names and write again.",
  rate_limited: "The provider's rate limit was reached. Write asynchronously, so that Busbar retries.",
  unavailable: "The provider could not be reached. Write asynchronously, so that Busbar retries.",
  timeout: "The provider did not answer in time. Look the record up there before you write again.",
  unknown_outcome:
    "It is not known whether the record was written. Look it up at the provider before you write again.",
  locked_out: "The provider has locked the account for a while. Wait, then write again.",
  unreadable: "The provider's answer could not be read. Write again; if it happens again, look at the steps.",
};

/** Returns the remedy of the last error; undefined after a cancellation or without an error. */
function findRemedy(result: string | undefined, steps: readonly Step[]): string | undefined {
  if (result?.includes("] Cancelled"))
    return "It was cancelled on request. Write it again if it is still wanted.";
  const kind = steps.findLast(({ severity }) => severity === "ERROR")?.message.details?.["kind"];
  return REMEDIES[kind ?? ""] ?? "The steps below show what was sent and what the provider answered.";
}
