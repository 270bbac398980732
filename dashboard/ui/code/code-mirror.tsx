/** CodeMirror with the dashboard's colours, a name, findings under the text, and the nonce of the page's policy. */
import { useEffect, useId, useRef, type JSX } from "react";
import { flushSync } from "react-dom";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { linter, lintGutter, type Diagnostic } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Transaction } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import classes from "./code-mirror.module.css";

/** A fault or warning at a place of the text. */
export interface EditorFinding {
  /** Offsets in the text. */
  from: number;
  to: number;
  severity: "error" | "warning" | "info";
  message: string;
}

export interface CodeEditorProps {
  /** Accessible name of the field, as "Manifest". */
  name: string;
  language: "yaml" | "json";
  value: string;
  onChange?: (value: string) => void;
  /** Called with the text 150 ms after the last key. */
  check?: (text: string) => readonly EditorFinding[] | Promise<readonly EditorFinding[]>;
  readOnly?: boolean;
  /** The text before the changes: the differences to it are marked, and what is equal is folded. */
  original?: string;
  /** In pixels; less in a low window. */
  height?: number;
}

const CHECK_MS = 150;

/** What changes without a new editor: it keeps the text and its history. */
const ACCESS = new Compartment();

export default function CodeMirror(props: CodeEditorProps): JSX.Element {
  const { name, language, value, readOnly, original, height = 420 } = props;
  const hint = useId();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const newest = useRef(props);
  useEffect(() => {
    newest.current = props;
  });
  useEffect(() => {
    if (!place.current) return;
    const changes = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (!docChanged) return;
      const report = () => newest.current.onChange?.(state.doc.toString());
      // What was typed is drawn at once: a button that is pressed right after a key acts on the text in sight.
      if (transactions.some(isTyped)) flushSync(report);
      else report();
    });
    const checks = linter(
      async ({ state }) => {
        const found = await newest.current.check?.(state.doc.toString());
        return [...(found ?? [])].map((finding): Diagnostic => finding);
      },
      { delay: CHECK_MS },
    );
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: newest.current.value,
        extensions: [
          changes,
          newest.current.check ? [checks, lintGutter()] : [],
          ...listFixedExtensions(language, height),
          ACCESS.of(buildExtensions(newest.current, hint)),
          original === undefined ? [] : showDifferencesTo(original),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [language, height, original, hint]);
  useEffect(() => {
    view.current?.dispatch({ effects: ACCESS.reconfigure(buildExtensions({ name, readOnly }, hint)) });
  }, [name, readOnly, hint]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  return (
    <div className={classes["around"]}>
      <div ref={place} />
      {!readOnly && (
        <div id={hint} className={classes["hint"]}>
          Tab indents. Escape, then Tab, leaves the editor.
        </div>
      )}
    </div>
  );
}

/** Returns whether a person typed the change; otherwise the page has replaced the text. */
const isTyped = (transaction: Transaction): boolean =>
  transaction.annotation(Transaction.userEvent) !== undefined;

const buildExtensions = (
  { name, readOnly = false }: Pick<CodeEditorProps, "name" | "readOnly">,
  hint: string,
) => [
  EditorView.contentAttributes.of({
    "aria-label": name,
    "aria-describedby": readOnly ? "" : hint,
    "aria-readonly": String(readOnly),
    // No keyboard of the screen covers a text that cannot be changed.
    inputmode: readOnly ? "none" : "text",
  }),
  EditorState.readOnly.of(readOnly),
];

/** When selected text is replaced, the browser would keep its colour as an inline style, which the page's policy refuses. */
const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const selected = document.getSelection();
    const isText = event.inputType === "insertText" && event.data !== null && !event.isComposing;
    if (!isText || view.state.readOnly || !selected?.anchorNode || !selected.focusNode) return false;
    if (selected.isCollapsed) return false;
    event.preventDefault();
    // Read from the document: the editor learns of a selection only after this event.
    const anchor = view.posAtDOM(selected.anchorNode, selected.anchorOffset);
    const head = view.posAtDOM(selected.focusNode, selected.focusOffset);
    const [from, to] = [Math.min(anchor, head), Math.max(anchor, head)];
    const insert = view.state.toText(event.data ?? "");
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length },
      userEvent: "input.type",
    });
    return true;
  },
});

const showDifferencesTo = (original: string) =>
  unifiedMergeView({
    original,
    mergeControls: false,
    gutter: true,
    collapseUnchanged: { margin: 3, minSize: 6 },
  });

const readNonce = (): string =>
  document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";

const listFixedExtensions = (language: "yaml" | "json", height: number) => [
  EditorView.cspNonce.of(readNonce()),
  lineNumbers(),
  history(),
  // Escape, then Tab, leaves the field: otherwise the keyboard would be trapped in it.
  keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
  language === "yaml" ? yaml() : json(),
  syntaxHighlighting(highlight),
  EditorView.lineWrapping,
  replacing,
  buildTheme(height),
];

/** In a low window the whole editor is in sight, between what is above it and the buttons below. */
const IN_WINDOW = "max(200px, 100dvh - 350px)";

const buildTheme = (height: number) =>
  EditorView.theme({
    "&": {
      height: `min(${height}px, ${IN_WINDOW})`,
      border: "1px solid var(--busbar-field)",
      borderRadius: "4px",
      backgroundColor: "var(--mantine-color-body)",
      color: "var(--mantine-color-text)",
      fontSize: "13px",
    },
    "&.cm-focused": { outline: "2px solid var(--mantine-color-anchor)" },
    ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.55" },
    ".cm-content": { caretColor: "var(--mantine-color-text)" },
    ".cm-gutters": {
      backgroundColor: "var(--busbar-code)",
      color: "var(--mantine-color-dimmed)",
      borderRight: "1px solid var(--busbar-line)",
    },
    ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
    "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
      backgroundColor: "var(--busbar-chosen) !important",
    },
    ".cm-tooltip": {
      backgroundColor: "var(--mantine-color-body)",
      border: "1px solid var(--busbar-line)",
      color: "var(--mantine-color-text)",
      maxWidth: "480px",
    },
    // The marks of the library are too pale in one of the two schemes.
    ".cm-deletedChunk": { backgroundColor: "var(--busbar-bad-ground)" },
    "&.cm-merge-b .cm-changedLine, .cm-insertedLine": { backgroundColor: "var(--busbar-chosen)" },
    "&.cm-merge-b .cm-changedText, .cm-changedText": { background: "none", fontWeight: "700" },
    ".cm-collapsedLines": {
      background: "var(--busbar-hover)",
      color: "var(--mantine-color-text)",
      minHeight: "24px",
    },
  });

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--busbar-busy)" },
  { tag: tags.definition(tags.propertyName), color: "var(--busbar-busy)" },
  { tag: [tags.string, tags.content], color: "var(--mantine-color-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--busbar-warn)" },
  { tag: tags.comment, color: "var(--mantine-color-dimmed)", fontStyle: "italic" },
]);
