/** What single keys do on a page: filter, rows, resend, copy. */
import { copyText } from "../../ui/copy-button.tsx";
import { moveToRow } from "../../ui/move-to-row.ts";

/** Moves the focus to the text filter of the list, or to its first field. */
export function focusFilter(): void {
  const field = document.querySelector<HTMLElement>("main input[data-filter], main input, main select");
  field?.focus();
}

/** Moves among the rows of the table that has the focus, or of the first one. */
export function moveAmongRows(step: number): void {
  const body = document.activeElement?.closest("tbody") ?? document.querySelector("main tbody");
  if (body) moveToRow(body, step);
}

/** Presses the button of the page that is marked with `data-shortcut`. */
export function pressShortcut(key: string): void {
  document.querySelector<HTMLElement>(`main [data-shortcut="${key}"]:not(:disabled)`)?.click();
}

/** Copies the id of the row with the focus, or else of the page's one thing; returns undefined if there is none. */
export async function copyIdInFocus(): Promise<string | undefined> {
  const row = document.activeElement?.closest<HTMLElement>("tr[data-id]");
  const id = row?.dataset["id"] ?? document.querySelector("main [data-copied-id]")?.textContent ?? undefined;
  if (id) await copyText(id);
  return id;
}
