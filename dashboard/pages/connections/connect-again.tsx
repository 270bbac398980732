/** Connects an account again: in a window for the person here, or by a link for the customer. */
import { useEffect, useRef, useState, type JSX } from "react";
import { Group } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
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
  const [link, setLink] = useState<string>();
  const consent = useRef<Window | null>(null);
  useReconnected(consent, status, onDone);
  if (!authScheme.startsWith("oauth2/authorizationCode")) return null;
  const input = { projectIdOrName, connectionId };
  const open = () => {
    // Opened at the click, because browsers block windows that open later.
    consent.current = window.open("about:blank", "_blank", "width=640,height=800");
    begin.mutate(input, {
      onSuccess: (url) => {
        if (consent.current) consent.current.location.href = url;
        else setLink(url);
      },
      onError: () => consent.current?.close(),
    });
  };
  return (
    <>
      <Group gap="xs" mt="xs" align="flex-start">
        <ActionButton size="xs" reason={reason} loading={begin.isPending} onClick={open}>
          Connect again
        </ActionButton>
        <ActionButton
          size="xs"
          variant="default"
          reason={reason}
          onClick={() => begin.mutate(input, { onSuccess: setLink })}
        >
          Make a link
        </ActionButton>
      </Group>
      <ProblemView error={begin.error} />
      {link && <CodeBlock name="Link for the customer" text={link} wraps />}
    </>
  );
}

/** Notices the end of the consent by the window's message, or by the status, if it was ended elsewhere. */
function useReconnected(consent: { current: Window | null }, status: string, onDone: () => void): void {
  const done = useRef(onDone);
  const before = useRef(status);
  useEffect(() => {
    done.current = onDone;
  });
  useEffect(() => {
    if (before.current === "bad_credentials" && status === "created") done.current();
    before.current = status;
  }, [status]);
  useEffect(() => {
    const onMessage = ({ source }: MessageEvent) => {
      if (source !== null && source === consent.current) done.current();
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, [consent]);
}
