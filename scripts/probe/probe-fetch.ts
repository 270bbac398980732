/** Sends the calls of a probe: only reads, below the provider's base URL, through the egress guard. */
import { buildAuthorization } from "../../connector-kit/provider/authorization.ts";
import { authorizeRequest } from "../../connector-kit/provider/authorize-request.ts";
import { fillPath } from "../../connector-kit/declarative/fill-path.ts";
import { buildPlans } from "../../connector-kit/declarative/object-plan.ts";
import type { ProviderFetch, ProviderResponse } from "../../connector-kit/calls/provider-fetch.ts";
import { fillBaseUrl } from "../../connector-kit/provider/template.ts";
import type { Egress } from "../../server/egress/egress.ts";
import type { Probed } from "./probed.ts";
import type { ProbeCredentials } from "./read-probe-credentials.ts";

export interface ProbeFetch {
  send: ProviderFetch;
  requests(): number;
  /** The answer to the last request. */
  last(): ProviderResponse | undefined;
}

/** Throws where the address or a header needs a value that is not given. */
export function openProbeFetch(
  egress: Egress,
  { info, description }: Pick<Probed, "info" | "description">,
  { credentials, metadata }: Pick<ProbeCredentials, "credentials" | "metadata">,
): ProbeFetch {
  const base = fillBaseUrl(info, {
    values: metadata,
    allowPlainHttp: (host) => egress.allowsPlainHttp(host),
  });
  const added = buildAuthorization(info, credentials, metadata);
  const lists = new Set(
    buildPlans(description, { values: metadata }).flatMap((plan) => {
      return plan.list?.method === undefined ? [] : [fillPath(plan.list.path, plan)];
    }),
  );
  let requests = 0;
  let last: ProviderResponse | undefined;
  return {
    requests: () => requests,
    last: () => last,
    send: async ({ method, path, headers = {}, body }) => {
      const [pathname = "", query = ""] = path.split("?");
      // A list may be a POST; nothing else that could change an account is sent.
      if (method !== "GET" && !lists.has(pathname)) throw new Error(`${method} ${pathname} is not a read`);
      requests += 1;
      const url = new URL(base);
      url.pathname = base.pathname.replace(/\/$/, "") + (pathname === "/" ? "" : pathname);
      url.search = query;
      const sent = await authorizeRequest(added, {
        url,
        method,
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const answer = await egress.send(sent);
      last = { status: answer.status, headers: answer.headers, text: answer.body.toString("utf8") };
      return last;
    },
  };
}
