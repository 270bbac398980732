/** Asks a person whose session has ended to sign in again, over the page: nothing that was typed is lost. */
import { useSyncExternalStore, type JSX } from "react";
import { Modal, Stack, Text } from "@mantine/core";
import { useRouterState } from "@tanstack/react-router";
import { sessionGate } from "../../api/session-gate.ts";
import { SignInForm } from "./sign-in-form.tsx";

export function SessionDialog(): JSX.Element {
  const isClosed = useSyncExternalStore(sessionGate.subscribe, sessionGate.isClosed);
  const href = useRouterState({ select: ({ location }) => location.href });
  return (
    <Modal
      opened={isClosed}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title="Sign in again"
      zIndex={1_000}
    >
      <Stack gap="sm">
        <Text size="sm">
          Your session has ended. The page stays as it is, and goes on when you have signed in.
        </Text>
        <SignInForm returnTo={href} onSignedIn={sessionGate.open} />
      </Stack>
    </Modal>
  );
}
