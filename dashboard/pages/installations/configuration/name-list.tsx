/** A list of names as one text, separated by commas. */
import { useState, type JSX } from "react";
import { TextInput } from "@mantine/core";

interface NameListProps {
  label: string;
  description: string;
  names: readonly string[];
  error?: string;
  onNames: (names: readonly string[]) => void;
}

export function NameList({ label, description, names, error, onNames }: NameListProps): JSX.Element {
  const [text, setText] = useState(names.join(", "));
  const [before, setBefore] = useState(names.join());
  // Keeps what is typed, such as a comma at the end, until the names change elsewhere.
  if (names.join() !== before) {
    setBefore(names.join());
    if (parseNames(text).join() !== names.join()) setText(names.join(", "));
  }
  return (
    <TextInput
      label={label}
      description={description}
      value={text}
      error={error}
      spellCheck={false}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onNames(parseNames(event.currentTarget.value));
      }}
    />
  );
}

const parseNames = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
