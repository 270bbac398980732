/** An id or another word of a machine, with a button that copies all of it. */
import type { JSX } from "react";
import { Group } from "@mantine/core";
import { CopyButton } from "./copy-button.tsx";

export const IdText = ({ id, label = "Copy id" }: { id: string; label?: string }): JSX.Element => (
  <Group gap={4} wrap="nowrap" component="span" display="inline-flex" maw="100%">
    <code className="foreign" data-copied-id>
      {id}
    </code>
    <CopyButton text={id} label={label} />
  </Group>
);
