/** A text that is passed on when the typing pauses; what was passed on never replaces what was typed since. */
import { useEffect, useState } from "react";

const TYPING_MS = 400;

interface PausedText {
  typed: string;
  type: (text: string) => void;
  /** Passes the text on at once. */
  finish: () => void;
}

/** `value` is the text that was passed on, without spaces around it; another one, set elsewhere, replaces what is typed. */
export function usePausedText(value: string, onText: (text: string) => void): PausedText {
  const [typed, type] = useState(value);
  const [known, setKnown] = useState(value);
  const [sent, setSent] = useState(value);
  if (value !== known) {
    setKnown(value);
    if (value !== sent) {
      setSent(value);
      type(value);
    }
  }
  const text = typed.trim();
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => {
      setSent(text);
      onText(text);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value, onText]);
  const finish = () => {
    setSent(text);
    onText(text);
  };
  return { typed, type, finish };
}
