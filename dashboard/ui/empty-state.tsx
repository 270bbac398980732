/** What stands where a list has no rows: what this is, why there is none, and the next action. */
import type { JSX, ReactNode } from "react";
import { Text, Title } from "@mantine/core";
import classes from "./empty-state.module.css";

export interface EmptyStateProps {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

export const EmptyState = ({ title, children, action }: EmptyStateProps): JSX.Element => (
  <div className={classes["empty"]}>
    <Title order={2} size="h3">
      {title}
    </Title>
    <Text c="dimmed" size="sm" maw={460} component="div">
      {children}
    </Text>
    {action}
  </div>
);
