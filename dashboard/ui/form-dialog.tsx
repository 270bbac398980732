/** A form in a dialog: its fields, the refusal, then Cancel and the button that sends it. */
import type { JSX, ReactNode } from "react";
import { Button, Group, Modal, Stack, type ModalProps } from "@mantine/core";

interface FormProps {
  /** The fields. */
  children: ReactNode;
  /** The refusal, drawn by the page. */
  problem?: ReactNode;
  /** Words of the button that sends the form. */
  submit: string;
  color?: string;
  busy?: boolean;
  disabled?: boolean;
  onSubmit: () => void;
  onClose: () => void;
}

type FormDialogProps = FormProps & {
  title: string;
  opened?: boolean;
  size?: ModalProps["size"];
};

export const FormDialog = ({ title, opened = true, size, ...form }: FormDialogProps): JSX.Element => (
  <Modal opened={opened} onClose={form.onClose} title={title} {...(size !== undefined && { size })}>
    <DialogForm {...form} />
  </Modal>
);

/** For a dialog that holds more than the form. */
export function DialogForm(props: FormProps): JSX.Element {
  const { children, problem, submit, color, busy = false, disabled = false, onSubmit, onClose } = props;
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
          <Button variant="default" onClick={onClose}>
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
