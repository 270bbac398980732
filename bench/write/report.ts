/** Prints what was measured, with the goal. */

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
export const ratio = (ours: number[], theirs: number[]): number =>
  median(ours.map((value, i) => value / (theirs[i] ?? value)));
export const per = (rate: number): string => `${Math.round(rate).toLocaleString("en")}/s`;
export const tell = (what: string, how: string, figure: number, target: string, unit = ""): void =>
  console.log(`${what}\n  ${how}\n  ${figure.toFixed(2)}${unit} (target ${target})`);
