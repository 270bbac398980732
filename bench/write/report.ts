/** Prints what was measured, with the goal. */

export const computeMedian = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
export const formatRatio = (ours: number[], theirs: number[]): number =>
  computeMedian(ours.map((value, i) => value / (theirs[i] ?? value)));
export const formatPer = (rate: number): string => `${Math.round(rate).toLocaleString("en")}/s`;
export const tell = (what: string, how: string, figure: number, target: string, unit = ""): void =>
  console.log(`${what}\n  ${how}\n  ${figure.toFixed(2)}${unit} (target ${target})`);
