/** Records the requests of a check as lines of the usage log. */
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { elapsedMs, nowMs } from "../../ground/clock.ts";
import type { ProxyUse } from "../store/operations/proxy-usage.ts";

/** In place of a status when no answer came. */
const NO_ANSWER = 502;

/** Returns a fetch that adds a line to `uses` for each request. */
export const recordUsage =
  (
    fetch: ProviderFetch,
    owner: { projectId: string; installationId: string },
    uses: ProxyUse[],
  ): ProviderFetch =>
  async (request) => {
    const timeMs = nowMs();
    const started = elapsedMs();
    const [path = ""] = request.path.split("?");
    const add = (status: number, bytesDown: number): void => {
      const durationMs = Math.round(elapsedMs() - started);
      uses.push({
        ...owner,
        timeMs,
        method: request.method,
        path,
        status,
        durationMs,
        bytesUp: 0,
        bytesDown,
      });
    };
    try {
      const answer = await fetch(request);
      add(answer.status, Buffer.byteLength(answer.text));
      return answer;
    } catch (error) {
      add(NO_ANSWER, 0);
      throw error;
    }
  };
