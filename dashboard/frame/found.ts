/** What the API finds by an id or a name, as entries of the palette. */
import type { PaletteEntry } from "./palette-entry.ts";

/** @TODO asks `find` as soon as the API has it. */
export const useFound = (_text: string): { entries: PaletteEntry[]; isSearching: boolean } => ({
  entries: [],
  isSearching: false,
});
