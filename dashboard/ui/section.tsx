/** A framed part of a page, with a heading and actions. */
import type { JSX, ReactNode } from "react";
import { Group, Title } from "@mantine/core";
import classes from "./section.module.css";

interface SectionProps {
  title?: string;
  actions?: ReactNode;
  /** Without padding, for a table. */
  flush?: boolean;
  /** Makes it a landmark of this name. */
  region?: string;
  children: ReactNode;
}

export const Section = ({ title, actions, flush = false, region, children }: SectionProps): JSX.Element => (
  <section className={classes["section"]} aria-label={region}>
    {(title || actions) && (
      <Group justify="space-between" className={classes["head"]} gap="sm">
        {title && <Title order={2}>{title}</Title>}
        {actions}
      </Group>
    )}
    <div className={flush ? undefined : classes["body"]}>{children}</div>
  </section>
);
