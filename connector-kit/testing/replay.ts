/** A `ProviderFetch` for tests: answers from a list or a function and records the requests. */
import type { Json } from "../../ground/json.ts";
import type { ProviderFetch, ProviderRequest, ProviderResponse } from "../calls/provider-fetch.ts";

export interface Reply {
  status: number;
  /** Sent as JSON; a string is sent as it is. */
  body?: Json;
  headers?: Record<string, string>;
}

interface Replay {
  fetch: ProviderFetch;
  requests: ProviderRequest[];
}

/** Replies in turn and repeats the last reply; an `Error` among them is thrown. */
export function replay(
  ...replies: (Reply | Error | ((request: ProviderRequest) => Reply | Error))[]
): Replay {
  const requests: ProviderRequest[] = [];
  return {
    requests,
    fetch: async (request) => {
      const next = replies[Math.min(requests.length, replies.length - 1)];
      requests.push(structuredClone(request));
      const reply = typeof next === "function" ? next(request) : next;
      if (!reply) throw new Error(`no reply to ${request.method} ${request.path}`);
      if (reply instanceof Error) throw reply;
      return toResponse(reply);
    },
  };
}

export function toResponse({ status, body, headers = {} }: Reply): ProviderResponse {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers, text };
}
