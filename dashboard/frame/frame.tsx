/** Everything around a page: skip link, head, navigation, dialogs, and the bar when the server does not answer. */
import { type JSX, type ReactNode, useEffect, useState } from "react";
import { ActionIcon, Drawer } from "@mantine/core";
import { Link, useNavigate, useRouterState } from "@tanstack/react-router";
import { useIsFetching } from "@tanstack/react-query";
import { Icon } from "../ui/icons.tsx";
import { AccountMenu } from "./account/account-menu.tsx";
import { ApiPanel } from "./data/api-panel.tsx";
import { AwayBar } from "./away-bar.tsx";
import { KeysDialog } from "./account/keys-dialog.tsx";
import { useSingleKeys } from "./account/keys.ts";
import { Navigation, useSitePages } from "./navigation.tsx";
import { copyIdInFocus, focusFilter, moveAmongRows, pressShortcut } from "./palette/page-keys.ts";
import { Palette } from "./palette/palette.tsx";
import { ProductionBar } from "./production.tsx";
import { ProjectSwitch } from "./project-switch.tsx";
import { useRememberProject } from "./project.ts";
import { SessionDialog } from "./account/session-dialog.tsx";
import classes from "./frame.module.css";

interface FrameProps {
  /** What was typed into the search before the frame was there; undefined if it was not asked for. */
  searchAtFirst: string | undefined;
  children: ReactNode;
}

export function Frame({ searchAtFirst, children }: FrameProps): JSX.Element {
  const [menu, setMenu] = useState(false);
  const [keys, setKeys] = useState(false);
  useRememberProject();
  const copied = usePageKeys(() => setKeys(true));
  useKeptFocus();
  return (
    <>
      <SkipLink />
      <header className={classes["header"]}>
        <ActionIcon aria-label="Menu" className={classes["burger"]} onClick={() => setMenu(true)}>
          <Icon name="menu" />
        </ActionIcon>
        <Link to="/" className={classes["brand"]} aria-label="Busbar, start page">
          <span className={classes["mark"]} aria-hidden="true" />
          <span className={classes["word"]}>Busbar</span>
        </Link>
        <ProjectSwitch />
        <span className={classes["space"]} />
        <Palette textAtFirst={searchAtFirst} />
        <ApiPanel />
        <AccountMenu />
      </header>
      <div className={classes["side"]}>
        <Navigation />
      </div>
      <Drawer opened={menu} onClose={() => setMenu(false)} title="Menu" size={260}>
        <Navigation onFollow={() => setMenu(false)} />
      </Drawer>
      <Main>{children}</Main>
      <KeysDialog opened={keys} onClose={() => setKeys(false)} />
      <SessionDialog />
      <span role="status" className="visually-hidden">
        {copied}
      </span>
    </>
  );
}

export const SkipLink = (): JSX.Element => (
  <a
    href="#content"
    className={classes["skip"]}
    onClick={(event) => {
      event.preventDefault();
      document.querySelector<HTMLElement>("#content")?.focus();
    }}
  >
    Skip to content
  </a>
);

function Main({ children }: { children: ReactNode }): JSX.Element {
  const isBusy = useBusy();
  return (
    <main id="content" tabIndex={-1} aria-busy={isBusy} className={classes["main"]}>
      <div className={classes["loading"]} data-busy={isBusy} aria-hidden="true" />
      <ProductionBar />
      <AwayBar />
      {children}
    </main>
  );
}

/** Returns what the last key did, in words for a screen reader. */
function usePageKeys(onHelp: () => void): string {
  const navigate = useNavigate();
  const [done, setDone] = useState("");
  const links = useSitePages().flatMap((group) => group.links);
  const jumps = links
    .filter(({ key }) => key)
    .map(({ key, to }): [string, () => void] => [`g ${key}`, () => void navigate({ to })]);
  const copyId = () => void copyIdInFocus().then((id) => setDone(id ? `Copied ${id}` : ""));
  useSingleKeys({
    "/": focusFilter,
    "?": onHelp,
    j: () => moveAmongRows(1),
    k: () => moveAmongRows(-1),
    r: () => pressShortcut("r"),
    y: copyId,
    ...Object.fromEntries(jumps),
  });
  return done;
}

/** A page that has just been drawn begins its calls within this time. */
const SETTLE_MS = 40;

/** Returns true until the page has drawn its first answers; assistive technology and tests wait for that. */
function useBusy(): boolean {
  const isLoading = useRouterState({ select: ({ status }) => status === "pending" });
  const first = useIsFetching({ predicate: ({ state }) => state.status === "pending" });
  const isWorking = isLoading || first > 0;
  const href = useRouterState({ select: ({ location }) => location.pathname });
  const [settled, setSettled] = useState("");
  useEffect(() => {
    if (isWorking) return;
    const timer = setTimeout(() => setSettled(href), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [isWorking, href]);
  return isWorking || settled !== href;
}

/**
 * Keeps the focus on the page: when the focused element is removed, the heading gets the focus; a button that is disabled while
 * its call is under way gets it back.
 */
function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    let isWorking = false;
    const remember = () => {
      last = document.activeElement;
      isWorking = false;
    };
    const leave = () => {
      isWorking = false;
    };
    // A browser then moves the focus to the body without an event.
    const observer = new MutationObserver(() => {
      if (!last) return;
      if (last.matches(":disabled")) isWorking = true;
      if (document.activeElement !== document.body) return;
      // A dialog keeps the focus itself.
      if (!last.isConnected && !document.querySelector("[role=dialog]")) {
        last = null;
        document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
      } else if (isWorking && !last.matches(":disabled") && last instanceof HTMLElement) {
        last.focus({ preventScroll: true });
      }
    });
    document.addEventListener("focusin", remember);
    document.addEventListener("pointerdown", leave);
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["disabled"],
    });
    return () => {
      document.removeEventListener("focusin", remember);
      document.removeEventListener("pointerdown", leave);
      observer.disconnect();
    };
  }, []);
}
