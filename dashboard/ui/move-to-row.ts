/** Moves the focus among the rows of a table: to the link of a row, or to its first button. */

/** Returns whether there was such a row. Without a focus in the rows, the first or last one gets it. */
export function moveToRow(body: Element, step: number): boolean {
  const stops = [...body.querySelectorAll("tr")].flatMap(
    (row) =>
      row.querySelector<HTMLElement>("a") ?? row.querySelector<HTMLElement>("button:not(:disabled)") ?? [],
  );
  const row = document.activeElement?.closest("tr");
  const current = stops.findIndex((stop) => stop.closest("tr") === row);
  const next = current === -1 ? stops.at(step > 0 ? 0 : -1) : stops[current + step];
  next?.focus();
  return next !== undefined;
}
