/** Shown in place of a page that could not be drawn; the frame around it stays. */
import type { JSX } from "react";
import { Button } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { Page } from "./frame/page.tsx";
import { ProblemView } from "./frame/problem-view.tsx";

export const PageFault = ({ error }: ErrorComponentProps): JSX.Element => (
  <Page title="This page cannot be shown">
    <ProblemView error={error instanceof Error ? error : new Error(String(error))} />
    <Button variant="default" mt="md" onClick={() => location.reload()}>
      Load it again
    </Button>
  </Page>
);
