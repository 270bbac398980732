/** Connects an account again: in a window for the person here, or by a link for the customer. */
import { useEffect, useRef, type JSX } from "react";
import { Group, Text } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { useConsentWindow } from "../../frame/consent-window.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useReason } from "../../frame/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";

interface Props {
  connection: Answer<"getConnection">;
  /** Called when the customer has connected again. */
  onDone: () => void;
}

export function ConnectAgain({ connection, onDone }: Props): JSX.Element | null {
  const { id: connectionId, projectId: projectIdOrName, status, authScheme } = connection;
  const reason = useReason("editor");
  const begin = useChange("oauthUpdate");
  const consent = useConsentWindow(onDone);
  const link = useChange("oauthUpdate");
  useReconnectedElsewhere(status, onDone);
  if (!authScheme.startsWith("oauth2/authorizationCode")) return null;
  const input = { projectIdOrName, connectionId };
  const url = link.data ?? consent.link;
  return (
    <>
      <Group gap="xs" mt="xs" align="flex-start">
        <ActionButton
          size="xs"
          reason={reason}
          loading={begin.isPending}
          onClick={() => consent.open(() => begin.mutateAsync(input))}
        >
          Connect again
        </ActionButton>
        <ActionButton
          size="xs"
          variant="default"
          reason={reason}
          loading={link.isPending}
          onClick={() => link.mutate(input)}
        >
          Copy link
        </ActionButton>
      </Group>
      <ProblemView error={begin.error ?? link.error} />
      {consent.failure !== undefined && (
        <Text size="sm" role="status" mt="xs" className="foreign">
          {consent.failure}
        </Text>
      )}
      {url && (
        <>
          <Text size="sm" mt="xs">
            Send this link to the customer. It can be used once, within ten minutes.
          </Text>
          <CodeBlock name="Link for the customer" text={url} wraps />
        </>
      )}
    </>
  );
}

/** Notices by the status that the customer has connected again by a link. */
function useReconnectedElsewhere(status: string, onDone: () => void): void {
  const done = useRef(onDone);
  const before = useRef(status);
  useEffect(() => {
    done.current = onDone;
  });
  useEffect(() => {
    if (before.current === "bad_credentials" && status === "created") done.current();
    before.current = status;
  }, [status]);
}
