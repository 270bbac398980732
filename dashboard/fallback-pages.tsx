/** The pages for addresses that lead nowhere, and for pages that could not be drawn. */
import type { JSX } from "react";
import { Button } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { Page } from "./frame/page.tsx";
import { ProblemView } from "./frame/problem-view.tsx";
import { PageLink } from "./frame/page-link.tsx";
import { EmptyState } from "./ui/empty-state.tsx";
import { Section } from "./ui/section.tsx";

/** Shown in place of a page that could not be drawn; the frame around it stays. */
export const PageFault = ({ error }: ErrorComponentProps): JSX.Element => (
  <Page title="This page cannot be shown">
    <ProblemView error={error instanceof Error ? error : new Error(String(error))} />
    <Button variant="default" mt="md" onClick={() => location.reload()}>
      Load it again
    </Button>
  </Page>
);

/** The page of an address that leads nowhere. */
export const NotFound = (): JSX.Element => (
  <Page title="Not found">
    <Section>
      <EmptyState title="There is no such page" action={<PageLink to="/">To the overview</PageLink>}>
        The address may have a mistake, or the page may be of a newer version.
      </EmptyState>
    </Section>
  </Page>
);
