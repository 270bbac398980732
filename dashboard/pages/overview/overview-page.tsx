/** The start page of a project. */
import type { JSX } from "react";
import { Page } from "../../frame/page.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Section } from "../../ui/section.tsx";

export const OverviewPage = (): JSX.Element => (
  <Page title="Overview">
    <Section>
      <EmptyState title="Welcome">Choose a page on the side, or search with Ctrl K.</EmptyState>
    </Section>
  </Page>
);
