/** Marks a project that serves real customers: a bar on each of its pages, and a question before a change reaches them. */
import { useState, type JSX } from "react";
import { Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { FormDialog } from "../ui/form-dialog.tsx";
import classes from "./production.module.css";
import { useShownProject } from "./project.ts";

export function ProductionBar(): JSX.Element | null {
  const project = useShownProject();
  const { project: named } = useParams({ strict: false });
  if (named === undefined || !project?.production) return null;
  return <div className={classes["bar"]}>Production: this project serves real customers.</div>;
}

interface ProductionQuestion {
  /** Calls the function at once, or in a production project after the person has confirmed it. */
  ask: (act: () => void) => void;
  /** The question; draw it anywhere. */
  dialog: JSX.Element;
}

/** `title` says what is about to be done, as "Send this write"; `submit` is the button that does it. */
export function useProductionQuestion(title: string, submit: string): ProductionQuestion {
  const project = useShownProject();
  const [asked, setAsked] = useState<() => void>();
  const close = () => setAsked(undefined);
  const dialog = (
    <FormDialog
      opened={asked !== undefined}
      title={`${title} in production?`}
      submit={submit}

      onSubmit={() => {
        close();
        asked?.();
      }}
      onClose={close}
    >
      <Text size="sm">
        The project <b className="foreign">{project?.name}</b> serves real customers.
      </Text>
    </FormDialog>
  );
  return { ask: (act) => (project?.production ? setAsked(() => act) : act()), dialog };
}
