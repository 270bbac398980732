/** Starts the strangers of the drill in a process of their own. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Answers by status; 0: the connection ended before an answer, -1: neither. */
interface StrangersAnswers {
  large: Record<string, number>;
  half: Record<string, number>;
}

/** Resolves once they have begun. `stop` ends them and returns how they were answered. */
export async function startStrangers(
  origin: string,
  largeCallers: number,
): Promise<{ stop(): Promise<StrangersAnswers> }> {
  const child = fork(join(import.meta.dirname, "strangers.ts"), [origin, String(largeCallers)]);
  await once(child, "message");
  return {
    async stop() {
      child.send("stop");
      const [answers] = (await once(child, "message")) as [StrangersAnswers];
      return answers;
    },
  };
}
