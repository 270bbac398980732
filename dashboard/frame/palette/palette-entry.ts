/** A line of the command palette. */
export interface PaletteEntry {
  to: string;
  title: string;
  kind: string;
}
