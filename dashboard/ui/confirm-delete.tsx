/** Asks before something is deleted: what goes along with it, and its name if much depends on it. */
import { useState, type JSX, type ReactNode } from "react";
import { TextInput } from "@mantine/core";
import { FormDialog } from "./form-dialog.tsx";

interface ConfirmDeleteProps {
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
    <FormDialog
      opened={opened}
      title={`Delete ${what}`}
      submit="Delete"
      busy={busy}
      disabled={typeName !== undefined && typed !== typeName}
      color="red.9"
      problem={problem}
      onSubmit={onDelete}
      onClose={close}
    >
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
    </FormDialog>
  );
}
