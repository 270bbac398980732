/** Text of a machine: JSON, curl, a message. Can be scrolled and copied, never interpreted. */
import classes from "./code-block.module.css";
import type { JSX } from "react";
import { CopyButton } from "../copy-button.tsx";

interface CodeBlockProps {
  text: string;
  /** Accessible name of the region, as "Request body". */
  name: string;
  /** Lines are broken instead of scrolled. */
  wraps?: boolean;
}

export const CodeBlock = ({ text, name, wraps = false }: CodeBlockProps): JSX.Element => (
  <div className={classes["block"]}>
    <div className={classes["copy"]}>
      <CopyButton text={text} label={`Copy ${name}`} />
    </div>
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keyboard */}
    <pre role="region" aria-label={name} tabIndex={0} data-wraps={wraps}>
      {escapeDirections(text)}
    </pre>
  </div>
);

/** Characters that change the direction of what follows them, to the end of the text. */
const DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Writes them as JSON may: `\u202e`. The copy has them as they are. */
const escapeDirections = (text: string): string =>
  text.replaceAll(DIRECTION, (found) => `\\u${found.charCodeAt(0).toString(16)}`);

/** A JSON value, indented. */
export const JsonView = ({ value, name }: { value: unknown; name: string }): JSX.Element => (
  <CodeBlock name={name} text={JSON.stringify(value, undefined, 2) ?? ""} />
);

/** A sentence of the API, in which names of files and settings stand between backticks. */
export const CodeWords = ({ text }: { text: string }): JSX.Element => (
  <>
    {text.split("`").map((part, index) =>
      // Every second part was between two of them.
      index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part,
    )}
  </>
);
