/** What a request counts as after an answer that is not the provider's own: a redirect, or a page, of something in between. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { classify as ofHubspot } from "./hubspot/classify.ts";
import { classify as ofSalesforce } from "./salesforce/classify.ts";
import { description } from "./pipedrive/description.ts";
import { createDeclarativeClassify } from "../connector-kit/declarative/create-declarative-classify.ts";
import { isRetryable, ProviderError } from "../connector-kit/calls/provider-error.ts";
import type { ProviderFetch, ProviderRequest } from "../connector-kit/calls/provider-fetch.ts";
import { send } from "../connector-kit/calls/send-request.ts";

const CONNECTORS = {
  HubSpot: ofHubspot,
  Salesforce: ofSalesforce,
  "a described provider": createDeclarativeClassify("pipedrive", description),
};
const PAGE = "<!DOCTYPE html><html><body>We are back in a minute</body></html>";

/** A server that gives one answer, whatever it is asked. */
async function openServer(
  t: TestContext,
  { status, headers = {}, body = "" }: { status: number; headers?: Record<string, string>; body?: string },
): Promise<ProviderFetch> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async ({ method, path }) => {
    const answer = await fetch(base + path, { method, redirect: "manual" });
    return {
      path,
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text: await answer.text(),
    };
  };
}

async function kindAfter(
  fetching: ProviderFetch,
  request: Pick<ProviderRequest, "method" | "repeatable">,
  classify: (typeof CONNECTORS)["HubSpot"],
) {
  const failed = await send({ ...request, path: "/records" }, fetching, classify).catch(
    (error: unknown) => error,
  );
  assert.ok(failed instanceof ProviderError, JSON.stringify(failed));
  return failed.kind;
}

const READ = { method: "GET", repeatable: true } as const;
const UPDATE = { method: "PATCH", repeatable: true } as const;
const CREATE = { method: "POST", repeatable: false } as const;

const REDIRECTS = [301, 302, 303, 307, 308];

for (const [name, classify] of Object.entries(CONNECTORS)) {
  test(`${name}: a read and an update are tried again after a redirect or a page with the status of a success`, async (t) => {
    for (const status of [...REDIRECTS, 200]) {
      const location = "https://login.example/";
      const fetching = await openServer(t, { status, headers: { location }, body: PAGE });
      for (const request of [READ, UPDATE])
        assert.ok(isRetryable(await kindAfter(fetching, request, classify)), `${request.method} ${status}`);
    }
  });

  /** kortix-ai/suna, pull request 6628: an edge answered so when the server behind it took long, and that had made the record. */
  test(`${name}: a page of maintenance does not prove that a create was not carried out, whenever it asks to come back`, async (t) => {
    const later = { status: 503, headers: { "retry-after": "30" } };
    const page = await openServer(t, { ...later, body: PAGE });
    assert.equal(await kindAfter(page, CREATE, classify), "unknown_outcome");
    assert.equal(await kindAfter(page, UPDATE, classify), "unavailable");
    assert.ok(isRetryable(await kindAfter(await openServer(t, later), CREATE, classify)));
  });

  /** RFC 9110, 15.4: 303 answers what was done, 301 and 302 often do; 307 and 308 ask for the same request elsewhere. */
  test(`${name}: a create that is answered so may have been carried out, and is not sent again by itself`, async (t) => {
    for (const status of [301, 302, 303, 200]) {
      const fetching = await openServer(t, { status, headers: { location: "/records/7" }, body: PAGE });
      const kind = await kindAfter(fetching, CREATE, classify);
      assert.ok(["unknown_outcome", "unreadable"].includes(kind), `${status}: ${kind}`);
    }
    for (const status of [307, 308]) {
      const fetching = await openServer(t, { status, headers: { location: "https://elsewhere.example/" } });
      assert.equal(await kindAfter(fetching, CREATE, classify), "unavailable", String(status));
    }
  });
}

test("what a provider answers in JSON is not taken for a page of something in between", async (t) => {
  const cut = await openServer(t, { status: 200, body: '{"results": [' });
  assert.equal(await kindAfter(cut, READ, ofHubspot), "unreadable");
});
