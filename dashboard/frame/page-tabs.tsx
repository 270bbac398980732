/** Tabs of a page; the chosen one is in the address. */
import { useEffect, useRef, type JSX, type ReactNode } from "react";
import { Tabs } from "@mantine/core";
import { useFilters } from "./data/filters.ts";

interface PageTab {
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
  const value = chosen?.value;
  const list = useRef<HTMLDivElement>(null);
  // On a small screen the tabs are in one line, which is scrolled.
  useEffect(() => {
    const at = list.current?.querySelector<HTMLElement>(`[data-tab="${value}"]`);
    if (list.current && at)
      list.current.scrollLeft = at.offsetLeft - (list.current.clientWidth - at.clientWidth) / 2;
  }, [value]);
  return (
    <Tabs
      value={value ?? null}
      onChange={(next) => setFilters({ tab: next === first?.value ? undefined : (next ?? undefined) })}
    >
      <Tabs.List mb="md" ref={list}>
        {tabs.map((one) => (
          <Tabs.Tab key={one.value} value={one.value} data-tab={one.value}>
            {one.title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((one) => (
        <Tabs.Panel key={one.value} value={one.value}>
          {one === chosen && one.panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
