/** Says what to do about a key that the server refuses. */
import { Refused } from "../http/refused.ts";
import type { Api } from "../http/api.ts";
import type { Target } from "./target.ts";

/** A login helps only where the key comes from one: options, environment and the server's folder come before it. */
export function replaceKey({ origin, from }: Pick<Target, "origin" | "from">): string {
  const name = from.apiKey ?? "";
  if (/^(--|BUSBAR_|AMP_)/.test(name)) return `The key comes from ${name}: put a valid one there.`;
  if (name.endsWith("bootstrap.json"))
    return `The key comes from ${name}: give a valid one by BUSBAR_API_KEY or --key.`;
  return `Log in again: busbar login ${origin}`;
}

/** Adds this remedy to refusals with the status 401. */
export const explainRefusedKey =
  (api: Api, target: Pick<Target, "origin" | "from">): Api =>
  async (...asked) => {
    try {
      return await api(...asked);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401) throw error;
      throw new Refused(error.status, error.problem, error.message, replaceKey(target));
    }
  };
