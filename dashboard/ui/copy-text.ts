/** Puts a text into the clipboard. */

/** The clipboard of browsers needs https or localhost; elsewhere the older way serves. */
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
