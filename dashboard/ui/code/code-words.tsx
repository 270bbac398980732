/** A sentence of the API, in which names of files and settings stand between backticks. */
import type { JSX } from "react";

export const CodeWords = ({ text }: { text: string }): JSX.Element => (
  <>
    {text.split("`").map((part, index) =>
      // Every second part was between two of them.
      index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part,
    )}
  </>
);
