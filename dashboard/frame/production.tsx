/** What marks a project that serves real customers: a bar on each of its pages, and a question before something reaches them. */
import { useState, type JSX } from "react";
import { Modal, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { DialogForm } from "../ui/dialog-form.tsx";
import classes from "./production.module.css";
import { useShownProject } from "./project.ts";

export function ProductionBar(): JSX.Element | null {
  const project = useShownProject();
  const { project: named } = useParams({ strict: false });
  if (named === undefined || !project?.production) return null;
  return <div className={classes["bar"]}>Production: this project serves real customers.</div>;
}

export interface ProductionQuestion {
  /** Calls the function at once, or in a production project after the person has confirmed it. */
  ask: (act: () => void) => void;
  /** To be drawn anywhere. */
  dialog: JSX.Element;
}

/** `title` says what is about to be done, as "Send this write"; `submit` is the button that does it. */
export function useProductionQuestion(title: string, submit: string): ProductionQuestion {
  const project = useShownProject();
  const [asked, setAsked] = useState<() => void>();
  const close = () => setAsked(undefined);
  const dialog = (
    <Modal opened={asked !== undefined} onClose={close} title={`${title} in production?`}>
      <DialogForm
        submit={submit}
        busy={false}
        onSubmit={() => {
          close();
          asked?.();
        }}
        onCancel={close}
      >
        <Text size="sm">
          The project <b className="foreign">{project?.name}</b> serves real customers.
        </Text>
      </DialogForm>
    </Modal>
  );
  return { ask: (act) => (project?.production ? setAsked(() => act) : act()), dialog };
}
