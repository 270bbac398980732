/** What stands where a list has no rows: what this is, why there is none, and the next action. */
import type { JSX, ReactNode } from "react";
import { Text, Title } from "@mantine/core";
import { ActionButton } from "./action-button.tsx";
import classes from "./empty-state.module.css";

interface EmptyStateProps {
  title: string;
  children: ReactNode;
  /** A link that looks like a button; with `onAction` the words of a button. */
  action?: ReactNode;
  onAction?: () => void;
  /** Why the button cannot be used. */
  reason?: string;
}

export const EmptyState = ({ title, children, action, onAction, reason }: EmptyStateProps): JSX.Element => (
  <div className={classes["empty"]}>
    <Title order={2} size="h3">
      {title}
    </Title>
    <Text c="dimmed" size="sm" maw={460} component="div">
      {children}
    </Text>
    {onAction ? (
      <ActionButton variant="default" reason={reason} onClick={onAction}>
        {action}
      </ActionButton>
    ) : (
      action
    )}
  </div>
);
