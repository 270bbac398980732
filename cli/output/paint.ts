/** Colours text for terminals, unless NO_COLOR or TERM=dumb forbid it. */
import type { Screen, Terminal } from "../terminal.ts";

type Colour = (text: string) => string;

export interface Paint {
  bold: Colour;
  dim: Colour;
  red: Colour;
  green: Colour;
  yellow: Colour;
  blue: Colour;
}

/** NO_COLOR follows https://no-color.org: any value but an empty one disables colours. */
export function createPaint(screen: Screen, env: Terminal["env"]): Paint {
  const coloured = screen.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  const colour =
    (start: number, end: number): Colour =>
    (text) =>
      coloured && text !== "" ? `\u001B[${start}m${text}\u001B[${end}m` : text;
  return {
    bold: colour(1, 22),
    dim: colour(2, 22),
    red: colour(31, 39),
    green: colour(32, 39),
    yellow: colour(33, 39),
    blue: colour(34, 39),
  };
}
