/** A form in a dialog: its fields, the refusal, then Cancel and the button that sends it. */
import type { JSX, ReactNode } from "react";
import { Button, Group, Stack } from "@mantine/core";

export interface DialogFormProps {
  /** The fields. */
  children: ReactNode;
  /** The refusal, drawn by the page. */
  problem?: ReactNode;
  /** Words of the button that sends the form. */
  submit: string;
  color?: string;
  busy: boolean;
  disabled?: boolean;
  onSubmit: () => void;
  onCancel: () => void;
}

export function DialogForm(props: DialogFormProps): JSX.Element {
  const { children, problem, submit, color, busy, disabled = false, onSubmit, onCancel } = props;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack>
        {children}
        {problem}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={busy} disabled={disabled} {...(color !== undefined && { color })}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
