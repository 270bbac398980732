/** Stops a command cleanly when it is told to end. */

/** Ctrl-C under npm arrives twice, from the terminal and from npm: within this time it is the same one. */
const SAME_SIGNAL_MS = 1_000;

/** A closed terminal sends SIGHUP. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Calls `stop` on the first signal and then exits with `exitCode`, and exits at once on the second. Returns a function after which
 * signals end the process as usual.
 */
export function onStopSignal(stop: () => Promise<void>, exitCode = 0): () => void {
  let stopping = false;
  let impatient = false;
  const handle = () => {
    if (impatient) process.exit(1);
    if (stopping) return;
    stopping = true;
    setTimeout(() => (impatient = true), SAME_SIGNAL_MS).unref();
    stop().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle);
  };
}
