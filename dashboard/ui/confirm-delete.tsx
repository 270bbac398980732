/** Asks before something is deleted: what goes along with it, and its name if much depends on it. */
import { useState, type JSX, type ReactNode } from "react";
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";

export interface ConfirmDeleteProps {
  opened: boolean;
  /** "destination my-app": the dialog is called "Delete destination my-app". */
  what: string;
  /** What goes along with it. */
  children: ReactNode;
  /** Must be typed before the button works. */
  typeName?: string;
  busy: boolean;
  /** The refusal, drawn by the page. */
  problem?: ReactNode;
  onDelete: () => void;
  onClose: () => void;
}

export function ConfirmDelete(props: ConfirmDeleteProps): JSX.Element {
  const { opened, what, children, typeName, busy, problem, onDelete, onClose } = props;
  const [typed, setTyped] = useState("");
  const close = () => {
    setTyped("");
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={`Delete ${what}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDelete();
        }}
      >
        <Stack>
          <div>{children}</div>
          {typeName !== undefined && (
            <TextInput
              label={`Type ${typeName} to confirm`}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {problem}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red.9"
              loading={busy}
              disabled={typeName !== undefined && typed !== typeName}
            >
              Delete
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
