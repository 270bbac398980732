/** Stops a command cleanly when it is told to end. */
import { isRunByNpm } from "../../ground/config.ts";

/** Ctrl-C under npm arrives twice, from the terminal and from npm: within this time it is the same one. */
const SAME_SIGNAL_MS = 1_000;

const PARENT_CHECK_MS = 500;

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
  // A parent that ends while this process stops, as after Ctrl-C, is no second signal.
  const check = watchParent(() => {
    if (!stopping) handle();
  });
  return () => {
    clearInterval(check);
    for (const signal of SIGNALS) process.off(signal, handle);
  };
}

/**
 * npm sends a signal that it gets to the shell between it and this process, and some shells (Debian's) end without sending it on. So a
 * process that npm runs also stops when its parent is gone.
 */
function watchParent(onGone: () => void): NodeJS.Timeout | undefined {
  if (!isRunByNpm()) return undefined;
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    onGone();
  }, PARENT_CHECK_MS);
  return check.unref();
}
