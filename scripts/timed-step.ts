/** Runs a step of a script that tries an installation, and prints how long it took. */
export async function runTimed<T>(what: string, act: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await act();
  console.log(`${what.padEnd(32)} ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  return result;
}
