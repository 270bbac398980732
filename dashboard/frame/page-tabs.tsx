/** Tabs of a page; the chosen one is in the address. */
import type { JSX, ReactNode } from "react";
import { Tabs } from "@mantine/core";
import { useFilters } from "./filters.ts";

export interface PageTab {
  /** In the address, as `?tab=settings`. */
  value: string;
  title: string;
  panel: ReactNode;
}

/** The first tab is shown without `tab` in the address. */
export function PageTabs({ tabs }: { tabs: readonly PageTab[] }): JSX.Element {
  const [{ tab }, setFilters] = useFilters("tab");
  const [first] = tabs;
  const chosen = tabs.find(({ value }) => value === tab) ?? first;
  return (
    <Tabs
      value={chosen?.value ?? null}
      onChange={(value) => setFilters({ tab: value === first?.value ? undefined : (value ?? undefined) })}
    >
      <Tabs.List mb="md">
        {tabs.map(({ value, title }) => (
          <Tabs.Tab key={value} value={value}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, panel }) => (
        <Tabs.Panel key={value} value={value}>
          {value === chosen?.value && panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
