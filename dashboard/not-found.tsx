/** The page of an address that leads nowhere. */
import type { JSX } from "react";
import { PageLink } from "./frame/page-link.tsx";
import { Page } from "./frame/page.tsx";
import { EmptyState } from "./ui/empty-state.tsx";
import { Section } from "./ui/section.tsx";

export const NotFound = (): JSX.Element => (
  <Page title="Not found">
    <Section>
      <EmptyState title="There is no such page" action={<PageLink to="/">To the overview</PageLink>}>
        The address may have a mistake, or the page may be of a newer version.
      </EmptyState>
    </Section>
  </Page>
);
