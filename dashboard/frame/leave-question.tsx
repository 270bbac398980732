/** Asks before a person leaves what they have typed and not saved: by a link, the browser's buttons, or closing the tab. */
import type { JSX } from "react";
import { Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useReason } from "./account/role.ts";

interface LeaveQuestionProps {
  /** Something was typed that leaving loses. */
  isChanged: boolean;
  /** What is lost, as "The manifest". */
  what: string;
}

export function LeaveQuestion({ isChanged: isTyped, what }: LeaveQuestionProps): JSX.Element {
  // Who may save nothing has nothing to lose.
  const mayNot = useReason("editor");
  const isChanged = isTyped && mayNot === undefined;
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && joinPageAddress(current) !== joinPageAddress(next),
    enableBeforeUnload: isChanged,
    withResolver: true,
  });
  return (
    <FormDialog
      opened={status === "blocked"}
      title="Leave without saving?"
      submit="Leave"
      onSubmit={() => proceed?.()}
      onClose={() => reset?.()}
    >
      <Text size="sm">{what} was changed here and is not saved. What you typed is lost when you leave.</Text>
    </FormDialog>
  );
}

/** Returns the page with its tab; other filters of the address leave a form where it is. */
const joinPageAddress = ({
  pathname,
  search,
}: {
  pathname: string;
  search: Readonly<Record<string, unknown>>;
}) => `${pathname} ${String(search["tab"] ?? "")}`;
