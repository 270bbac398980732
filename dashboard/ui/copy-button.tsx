/** Copies a text; says so in words that a screen reader announces. */
import { useEffect, useState, type JSX } from "react";
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { Icon } from "./icons.tsx";

const SHOWN_MS = 2_000;

interface CopyButtonProps {
  text: string;
  /** The button's name, as "Copy id". */
  label?: string;
  /** Shows the label beside the icon. */
  wide?: boolean;
  /** Size of a wide button: "sm" beside other buttons. */
  size?: "xs" | "sm";
}

export function CopyButton({
  text,
  label = "Copy",
  wide = false,
  size = "xs",
}: CopyButtonProps): JSX.Element {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  useEffect(() => {
    if (copied === "no") return;
    const timer = setTimeout(() => setCopied("no"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    void copyText(text).then(
      () => setCopied("yes"),
      () => setCopied("failed"),
    );
  const word = { no: label, yes: "Copied", failed: "Copying failed" }[copied];
  const icon = <Icon name={copied === "yes" ? "check" : "copy"} size={14} />;
  return (
    <>
      {wide ? (
        <Button variant="default" size={size} leftSection={icon} onClick={copy}>
          {word}
        </Button>
      ) : (
        <Tooltip label={word}>
          <ActionIcon size={24} aria-label={label} onClick={copy}>
            {icon}
          </ActionIcon>
        </Tooltip>
      )}
      <span role="status" className="visually-hidden">
        {copied === "no" ? "" : word}
      </span>
    </>
  );
}

/** Puts a text into the clipboard. The clipboard of browsers needs https or localhost; elsewhere the older way serves. */
export async function copyText(text: string): Promise<void> {
  // Undefined outside secure contexts, against its type.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard) return clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("readonly", "");
  field.className = "visually-hidden";
  const before = document.activeElement;
  (before?.closest("[role=dialog]") ?? document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!done) throw new Error("the browser did not copy");
}
