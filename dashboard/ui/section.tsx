/** A framed part of a page, with a heading and actions. */
import type { JSX, ReactNode } from "react";
import { Group, Title } from "@mantine/core";
import classes from "./section.module.css";

export interface SectionProps {
  title?: string;
  actions?: ReactNode;
  /** Without padding, for a table. */
  flush?: boolean;
  children: ReactNode;
}

export const Section = ({ title, actions, flush = false, children }: SectionProps): JSX.Element => (
  <section className={classes["section"]}>
    {(title || actions) && (
      <Group justify="space-between" className={classes["head"]} gap="sm">
        {title && <Title order={2}>{title}</Title>}
        {actions}
      </Group>
    )}
    <div className={flush ? undefined : classes["body"]}>{children}</div>
  </section>
);
