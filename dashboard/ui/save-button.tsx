/** Saves a form, and says that it is saved. */
import type { JSX, ReactNode } from "react";
import { Group } from "@mantine/core";
import { ActionButton } from "./action-button.tsx";

interface SaveButtonProps {
  save: { isPending: boolean; isSuccess: boolean };
  /** Nothing was typed that is not saved. */
  unchanged: boolean;
  /** Why the form cannot be saved. */
  reason: string | undefined;
  onSave: () => void;
  /** Label of the button. */
  children: ReactNode;
}

export const SaveButton = ({ save, unchanged, reason, onSave, children }: SaveButtonProps): JSX.Element => (
  <Group>
    <ActionButton
      reason={reason ?? (unchanged ? "Nothing has changed." : undefined)}
      loading={save.isPending}
      onClick={onSave}
    >
      {children}
    </ActionButton>
    {save.isSuccess && unchanged && (
      <span role="status" className="soft">
        Saved
      </span>
    )}
  </Group>
);
