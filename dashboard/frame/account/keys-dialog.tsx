/** The list of keys, and the switch for single keys. */
import { useState, type JSX } from "react";
import { Group, Kbd, Modal, Stack, Switch, Text } from "@mantine/core";
import { areSingleKeysOn, switchSingleKeys } from "./keys.ts";

const KEYS: [string, string][] = [
  ["Ctrl K", "search and commands (⌘ K on a Mac)"],
  ["/", "go to the filter"],
  ["j k", "next and previous row (also ↓ ↑)"],
  ["Enter", "open the row"],
  ["r", "resend, on a delivery"],
  ["y", "copy the id of the row, or of the page"],
  ["Esc", "close; in an editor, Tab leaves it afterwards"],
  ["g o", "operations"],
  ["g c", "customers"],
  ["g d", "destinations"],
  ["?", "this list"],
];

export function KeysDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): JSX.Element {
  const [on, setOn] = useState(areSingleKeysOn);
  return (
    <Modal opened={opened} onClose={onClose} title="Keys">
      <Stack gap="xs">
        {KEYS.map(([key, meaning]) => (
          <Group key={key} justify="space-between" wrap="nowrap">
            <Text size="sm">{meaning}</Text>
            <Kbd>{key}</Kbd>
          </Group>
        ))}
        <Switch
          label="Single keys"
          description="Keys with Ctrl or ⌘ work either way."
          checked={on}
          onChange={(event) => {
            setOn(event.currentTarget.checked);
            switchSingleKeys(event.currentTarget.checked);
          }}
        />
      </Stack>
    </Modal>
  );
}
