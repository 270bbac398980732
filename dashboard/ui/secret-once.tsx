/** Shows a secret this one time: it can be copied, and the dialog closes when the person says that it is stored. */
import { useState, type JSX } from "react";
import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { CopyButton } from "./copy-button.tsx";

interface SecretOnceProps {
  /** Undefined: closed. The caller forgets it in `onDone`. */
  secret: string | undefined;
  title: string;
  /** The field's name, as "API key". */
  label: string;
  onDone: () => void;
}

export function SecretOnce({ secret, title, label, onDone }: SecretOnceProps): JSX.Element {
  const [stored, setStored] = useState(false);
  const done = () => {
    setStored(false);
    onDone();
  };
  return (
    <Modal
      opened={secret !== undefined}
      onClose={done}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="lg"
    >
      <Stack>
        <Text size="sm">
          It is shown only now. Store it where your secrets are; nobody can read it here later.
        </Text>
        <Group align="flex-end" wrap="nowrap" gap="xs">
          <TextInput
            label={label}
            value={secret ?? ""}
            readOnly
            flex={1}
            classNames={{ input: "mono" }}
            onFocus={(event) => event.currentTarget.select()}
            data-autofocus
          />
          <CopyButton text={secret ?? ""} wide />
        </Group>
        <Checkbox
          label="I have stored it"
          checked={stored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        <Group justify="flex-end">
          <Button disabled={!stored} onClick={done}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
