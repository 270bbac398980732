/** Gives back the memory that only starting needed. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const AFTER_START_MS = 1_000;

/**
 * Loading some hundred files lets V8's heap grow to twice of what stays, and an idle process allocates too little for
 * V8 ever to look at it again: one collection makes it (measured: 196 MiB at rest become 144).
 */
export function giveBackMemory(): void {
  const collect = (): void => {
    setFlagsFromString("--expose-gc");
    (runInNewContext("gc") as () => void)();
  };
  setTimeout(collect, AFTER_START_MS).unref();
}
