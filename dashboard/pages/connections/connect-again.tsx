/** Connects an account again: in a window for the person here, or by a link for the customer. */
import { useEffect, useRef, type JSX } from "react";
import { Group, Stack } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { ConsentOutcome } from "../../frame/data/consent-outcome.tsx";
import { useConsentWindow } from "../../frame/data/consent-window.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";

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
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-start">
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
      <ConsentOutcome consent={consent} link={link.data} />
    </Stack>
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
    if (before.current === "bad_credentials" && status !== "bad_credentials") done.current();
    before.current = status;
  }, [status]);
}
