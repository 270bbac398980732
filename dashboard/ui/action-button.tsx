/** A button that says why it cannot be used, instead of going away. */
import { useId, type JSX, type ReactNode } from "react";
import { Button, Stack, Text, type ButtonProps } from "@mantine/core";

interface ActionButtonProps extends ButtonProps {
  onClick: () => void;
  /** Why it is disabled; undefined: it is not. */
  reason?: string;
  children: ReactNode;
}

export function ActionButton({ reason, onClick, children, ...props }: ActionButtonProps): JSX.Element {
  const id = useId();
  if (reason === undefined)
    return (
      <Button {...props} onClick={onClick}>
        {children}
      </Button>
    );
  return (
    <Stack gap={2} align="flex-start">
      <Button {...props} disabled aria-describedby={id}>
        {children}
      </Button>
      <Text id={id} size="xs" c="dimmed" maw={280}>
        {reason}
      </Text>
    </Stack>
  );
}
