/** The head of a page: its one h1, the title of the window, and its actions. */
import { useEffect, type JSX, type ReactNode } from "react";
import { Group, Text, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import classes from "./page.module.css";

interface PageProps {
  /** The heading. Of one thing: its name, ref or id. */
  title: string;
  /** A link to the list above, before the heading. */
  above?: ReactNode;
  /** A line below the heading. */
  about?: ReactNode;
  /** Beside the heading: a status. */
  mark?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, above, about, mark, actions, children }: PageProps): JSX.Element {
  const { project } = useParams({ strict: false });
  useEffect(() => {
    document.title = [title, project, "Busbar"].filter(Boolean).join(" · ");
  }, [title, project]);
  return (
    <>
      <div className={classes["head"]}>
        <div className={classes["words"]}>
          {above && <div className={classes["above"]}>{above}</div>}
          <Group gap="sm">
            <Title order={1} tabIndex={-1} className="foreign">
              {title}
            </Title>
            {mark}
          </Group>
          {about && (
            <Text c="dimmed" size="sm" component="div" mt={2}>
              {about}
            </Text>
          )}
        </div>
        {actions && (
          <Group gap="xs" align="flex-start" className={classes["actions"]}>
            {actions}
          </Group>
        )}
      </div>
      {children}
    </>
  );
}
