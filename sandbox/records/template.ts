// Values of generated records that a control chose.

import type { ValueMaker } from "./lazy-values.ts";

/** Returns a maker of one value: `{n}` in a text becomes the position, everything else stays. */
export function templateMaker<V>(value: V, ofText: (text: string) => V): ValueMaker<V> {
  if (typeof value !== "string" || !value.includes("{n}")) return () => value;
  return ({ index }) => ofText(value.replaceAll("{n}", String(index)));
}
