/** Shows a refusal: what happened, what to do, where to read more, and the request id to copy. */
import type { JSX } from "react";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { ApiProblem } from "../api/call.ts";
import { CodeWords } from "../ui/code/code-block.tsx";
import { Icon } from "../ui/icons.tsx";
import { IdText } from "../ui/id-text.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";
import { OutLink } from "./page-link.tsx";

interface ProblemViewProps {
  error: Error | null | undefined;
  onRetry?: () => void;
}

/** Draws nothing without an error. What is not built yet is calm, not red. */
export function ProblemView({ error, onRetry }: ProblemViewProps): JSX.Element | null {
  if (!error) return null;
  if (!(error instanceof ApiProblem)) {
    return (
      <Alert role="alert" color="red" title="This page has a fault" icon={<Icon name="alert" />}>
        {error.message}
      </Alert>
    );
  }
  const { title, detail, remedy, href, status, requestId, retryable, retryAfter, issues, causes } =
    error.problem;
  const isCalm = status === 501;
  return (
    <Alert
      role="alert"
      variant="outline"
      color={isCalm ? "gray" : "red"}
      title={isCalm ? "Not built yet" : title}
      icon={<Icon name="alert" />}
    >
      <Stack gap={6}>
        <Text size="sm" className="foreign">
          <CodeWords text={detail} />
        </Text>
        {issues && issues.length > 1 && (
          <ul>
            {issues.map((issue) => (
              <li key={`${issue.in} ${issue.name} ${issue.detail}`} className="foreign">
                <code>{issue.name}</code>: <CodeWords text={issue.detail} />
              </li>
            ))}
          </ul>
        )}
        {!issues && causes && causes.length > 0 && (
          <ul>
            {causes.map((cause) => (
              <li key={cause} className="foreign">
                <CodeWords text={cause} />
              </li>
            ))}
          </ul>
        )}
        {remedy && (
          <Text size="sm" className="foreign">
            <CodeWords text={remedy} />
          </Text>
        )}
        <Group gap="md">
          {href && <OutLink href={href}>What this means</OutLink>}
          {requestId && (
            <Text size="xs" c="dimmed" component="span">
              Request <IdText id={requestId} label="Copy request id" />
            </Text>
          )}
          {retryAfter && (
            <Text size="xs" c="dimmed" component="span">
              Possible again <TimeAgo time={retryAfter} />
            </Text>
          )}
          {onRetry && retryable && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
