/** The command palette: pages, and what `find` finds by id or name. */
import { useId, useRef, useState, type JSX, type KeyboardEvent } from "react";
import { Button, Modal, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { flushSync } from "react-dom";
import { Icon } from "../../ui/icons.tsx";
import { Status } from "../../ui/status.tsx";
import { useFound, type PaletteEntry } from "./found.ts";
import { useCommandKey } from "../account/keys.ts";
import { useSitePages } from "../navigation.tsx";
import { toLinkTarget } from "../page-link.tsx";
import classes from "./palette.module.css";

/** `textAtFirst`: what was typed before the palette was there; undefined if it was not asked for. */
export function Palette({ textAtFirst }: { textAtFirst: string | undefined }): JSX.Element {
  const [opened, setOpened] = useState(textAtFirst !== undefined);
  const [firstText, setFirstText] = useState(textAtFirst ?? "");
  const before = useRef<Element | null>(null);
  /** The field is there, with the focus, when this returns: the next letter may have been typed already. */
  const open = () => {
    if (opened) return;
    before.current = document.activeElement;
    flushSync(() => {
      setFirstText("");
      setOpened(true);
    });
  };
  useCommandKey("k", open);
  /** Restores the focus, unless an opened page has it. */
  const giveFocusBack = () => {
    const isTaken =
      document.activeElement !== document.body && document.activeElement?.closest("[role=dialog]") === null;
    if (!isTaken && before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
  };
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        h={28}
        aria-label="Search"
        classNames={{ section: classes["glass"] }}
        leftSection={<Icon name="search" size={14} />}
        onClick={open}
      >
        {/* The key is no part of the button's name. */}
        <span className={classes["word"]} data-key={isMac ? "⌘K" : "Ctrl K"}>
          Search
        </span>
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        returnFocus={false}
        onExitTransitionEnd={giveFocusBack}
        title="Search"
        classNames={{ header: "visually-hidden" }}
        withCloseButton={false}
        padding={0}
        size={560}
        yOffset="12vh"
        // A transition would begin a frame later.
        transitionProps={{ duration: 0 }}
      >
        {opened && <Choice firstText={firstText} onDone={() => setOpened(false)} />}
      </Modal>
    </>
  );
}

/** Gives a field the focus as soon as it is there. */
export const takeFocus = (field: HTMLInputElement | null): void => field?.focus({ preventScroll: true });

function Choice({ firstText, onDone }: { firstText: string; onDone: () => void }): JSX.Element {
  const [text, setText] = useState(firstText);
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const pages = usePages(text);
  const { entries: found, isSearching } = useFound(text.trim());
  const entries = [...pages, ...found];
  const list = useId();
  const open = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onDone();
    void navigate(toLinkTarget(entry.to));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") open(entries[chosen]);
    else if (step && entries.length > 0) setChosen((chosen + step + entries.length) % entries.length);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        aria-label="Search pages, ids and names"
        placeholder="Page, id or name"
        role="combobox"
        aria-expanded={entries.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={entries[chosen] ? `${list}-${chosen}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        ref={takeFocus}
        leftSection={<Icon name="search" />}
        size="md"
        variant="unstyled"
        className={classes["field"]}
        autoComplete="off"
        data-autofocus
      />
      <div role="listbox" id={list} aria-label="Results" className={classes["list"]}>
        {entries.map((entry, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- keys are handled in the combobox
          <div
            key={`${entry.kind} ${entry.to} ${entry.title}`}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={classes["option"]}
            ref={index === chosen ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
            onClick={() => open(entry)}
          >
            <span className="foreign">{entry.title}</span>
            <span className={classes["kind"]}>
              {entry.healthStatus && <Status status={entry.healthStatus} />} {entry.kind}
            </span>
          </div>
        ))}
      </div>
      <p role="status" className={classes["none"]}>
        {entries.length === 0 && (isSearching ? "Searching…" : "Nothing found.")}
      </p>
    </>
  );
}

function usePages(text: string): PaletteEntry[] {
  const groups = useSitePages();
  const wanted = text.trim().toLowerCase();
  return groups
    .flatMap(({ links }) => links.map(({ to, title }) => ({ to, title, kind: "page" })))
    .filter(({ title }) => title.toLowerCase().includes(wanted));
}
