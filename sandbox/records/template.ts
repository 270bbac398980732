// Values of generated records from a control's template.

import type { ValueMaker } from "./lazy-values.ts";

/** Returns the maker of a value: `{n}` in a text is replaced by the position, other values stay. */
export function buildTemplateMaker<V>(value: V, ofText: (text: string) => V): ValueMaker<V> {
  if (typeof value !== "string" || !value.includes("{n}")) return () => value;
  return ({ index }) => ofText(value.replaceAll("{n}", String(index)));
}
