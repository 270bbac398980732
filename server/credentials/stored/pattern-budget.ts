/** Applies patterns that builders wrote within a budget of time: a regular expression may take for ever on a short text. */
import { createContext, Script, type Context } from "node:vm";
import { elapsedMs } from "../../../ground/clock.ts";

/** Time limit for all patterns of one answer together. Usual patterns take a tenth of a millisecond. */
const BUDGET_MS = 100;

/** Its result is a text, so that no object of the other context reaches this one. */
const SCRIPT = new Script(`{
  const match = new RegExp(pattern).exec(text);
  match === null ? undefined : (match.groups?.result ?? match[1] ?? match[0]);
}`);

let context: Context | undefined;

export class PatternBudget {
  #leftMs = BUDGET_MS;

  /**
   * Returns the group `result` of the match, else its first group, else the match. Undefined if nothing matches, for what is no regular
   * expression, and when the time is used up.
   */
  capture(pattern: string, text: string): string | undefined {
    const leftMs = Math.floor(this.#leftMs);
    if (leftMs < 1) return undefined;
    const startedMs = elapsedMs();
    context ??= createContext(Object.create(null));
    Object.assign(context, { pattern, text });
    try {
      const found: unknown = SCRIPT.runInContext(context, { timeout: leftMs });
      return typeof found === "string" ? found : undefined;
    } catch {
      return undefined;
    } finally {
      this.#leftMs -= elapsedMs() - startedMs;
    }
  }
}
