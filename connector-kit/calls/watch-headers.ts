/** Records the headers of a page's answers, for the provider's clock and its daily quota. */
import type { ProviderFetch, ProviderResponse } from "./provider-fetch.ts";

interface WatchedFetch {
  fetch: ProviderFetch;
  /** Returns the time in the `Date` header of the first answer. */
  providerTime(): Date | undefined;
  /** Returns a header of the newest answer that has it. */
  newest(name: string): string | undefined;
}

export function watchHeaders(fetch: ProviderFetch): WatchedFetch {
  const seen: ProviderResponse["headers"][] = [];
  return {
    async fetch(request) {
      const response = await fetch(request);
      seen.push(response.headers);
      return response;
    },
    providerTime() {
      const time = new Date(seen[0]?.["date"] ?? "");
      return Number.isNaN(time.getTime()) ? undefined : time;
    },
    newest: (name) => seen.findLast((headers) => headers[name] !== undefined)?.[name],
  };
}
