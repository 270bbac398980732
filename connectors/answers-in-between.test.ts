/** What a request counts as after an answer that is not the provider's own: a redirect, or a page, of something in between. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { classify as ofHubspot } from "./hubspot/classify.ts";
import { classify as ofSalesforce } from "./salesforce/classify.ts";
import { CONNECTORS as CATALOG } from "./connectors.gen.ts";
import { description } from "./pipedrive/description.ts";
import type { RecordOutcome, RecordWrite } from "../connector-kit/connector.ts";
import { orderWrite, planRead } from "../connector-kit/testing/order-fixture.ts";
import { withAccount } from "../connector-kit/calls/with-account.ts";
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

type Request = Pick<ProviderRequest, "method" | "repeatable">;

/** Returns the error of a request, whether it is thrown or told. */
async function errorAfter(
  fetching: ProviderFetch,
  request: Request,
  classify: (typeof CONNECTORS)["HubSpot"],
): Promise<ProviderError> {
  const failed = await send({ ...request, path: "/records" }, fetching, classify).then(
    ({ error }) => error,
    (error: unknown) => error,
  );
  assert.ok(failed instanceof ProviderError, JSON.stringify(failed));
  return failed;
}

const kindAfter = async (...given: Parameters<typeof errorAfter>) => (await errorAfter(...given)).kind;

const READ = { method: "GET", repeatable: true } as const;
const UPDATE = { method: "PATCH", repeatable: true } as const;
const CREATE = { method: "POST", repeatable: false } as const;

/** Answers that are not a provider's, with the words by which a person knows them. */
const FOREIGN: { status: number; body: unknown; headers?: Record<string, string>; words: RegExp }[] = [
  { status: 403, body: { error: "access denied", ray: "8a1b2c3d4e5f" }, words: /access denied/ },
  // https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/
  {
    status: 403,
    body: { title: "Error 1020: Access denied", status: 403, error_code: 1020, cloudflare_error: true },
    words: /Error 1020/,
  },
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
  { status: 403, body: { message: "Forbidden" }, words: /Forbidden/ },
  { status: 403, body: { message: "Missing Authentication Token" }, words: /Missing Authentication/ },
  {
    status: 403,
    body: { Message: "User is not authorized to access this resource" },
    words: /not authorized/,
  },
  { status: 404, body: { message: "no Route matched with those values" }, words: /no Route/ },
  { status: 401, body: { proxy: "sign in at login.corp.example" }, words: /login\.corp/ },
  { status: 403, body: { blocked: true, policy: "outbound" }, words: /outbound/ },
  { status: 405, body: "", headers: { "x-amzn-waf-action": "captcha" }, words: /405/ },
  { status: 202, body: "", headers: { "x-amzn-waf-action": "challenge" }, words: /202/ },
  {
    status: 403,
    body: "<html><head><title>Policy violation</title></head></html>",
    words: /Policy violation/,
  },
  { status: 401, body: "<html><head><title>Sign in</title></head></html>", words: /Sign in/ },
  { status: 404, body: "<html><head><title>Not here</title></head></html>", words: /Not here/ },
  { status: 451, body: "<html><head><title>Blocked</title></head></html>", words: /Blocked/ },
];

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

for (const name of ["HubSpot", "a described provider"] as const)
  test(`${name}: a refusal that is not in the provider's form is tried again, and told with its words`, async (t) => {
    for (const { status, body, headers = {}, words } of FOREIGN) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const fetching = await openServer(t, { status, headers, body: text });
      for (const request of [READ, UPDATE, CREATE]) {
        // HubSpot answers no request with 202, and does not stand behind AWS WAF.
        if (status < 400 && name === "HubSpot") continue;
        const error = await errorAfter(fetching, request, CONNECTORS[name]);
        assert.equal(error.kind, "unavailable", `${request.method} ${status} ${text}`);
        assert.match(error.message, words);
        assert.match(error.message, /something in between/);
      }
    }
  });

test("Salesforce: a refusal that is not in its form is tried again", async (t) => {
  for (const { status, body, headers = {} } of FOREIGN.filter((one) => one.status >= 400)) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const fetching = await openServer(t, { status, headers, body: text });
    assert.equal(await kindAfter(fetching, UPDATE, ofSalesforce), "unavailable", `${status} ${text}`);
  }
});

test("a provider whose form is a word that everybody has is known by its marks", async (t) => {
  const classify = createDeclarativeClassify("quill", {
    ...description,
    errors: { message: ["message"], marks: ["request_id", "code"] },
  });
  const foreign = await openServer(t, { status: 403, body: '{"message":"Your IP address is not allowed"}' });
  const own = await openServer(t, { status: 403, body: '{"message":"No scope","request_id":"7"}' });
  assert.equal(await kindAfter(foreign, UPDATE, classify), "unavailable");
  assert.equal(await kindAfter(own, UPDATE, classify), "forbidden");
});

test("a refusal in JSON that is not in the described form is told with the part of the description that may lack it", async (t) => {
  const classify = CONNECTORS["a described provider"];
  const json = await openServer(t, { status: 403, body: '{"detail":"No permission"}' });
  const { kind, message } = await errorAfter(json, UPDATE, classify);
  assert.equal(kind, "unavailable");
  assert.match(message, /No permission.*`errors` of its description/);
  const page = await openServer(t, { status: 403, body: PAGE });
  assert.doesNotMatch((await errorAfter(page, UPDATE, classify)).message, /description/);
});

test("what judges the content of a request is the provider's, also in a form that the description does not have", async (t) => {
  for (const [status, kind] of [
    [400, "invalid"],
    [422, "invalid"],
    [409, "conflict"],
    [412, "invalid"],
  ] as const) {
    const fetching = await openServer(t, { status, body: '{"name":["the name is too long"]}' });
    const error = await errorAfter(fetching, UPDATE, CONNECTORS["a described provider"]);
    assert.equal(error.kind, kind);
    assert.match(error.message, /the name is too long/);
  }
});

/** Writes one record by a whole connector to a server with one answer. */
async function writeTo(
  t: TestContext,
  provider: "hubspot" | "salesforce",
  type: RecordWrite["type"],
  answer: Parameters<typeof openServer>[1],
): Promise<{ outcome: RecordOutcome | undefined; warnings: string[] }> {
  const [objectName, id] = provider === "hubspot" ? ["companies", "7"] : ["Account", "001000000000007AAA"];
  const { write } = withAccount(CATALOG[provider] ?? {}, { values: {} });
  const order = orderWrite(objectName, type, {
    ...(type !== "create" && { id }),
    fields: type === "delete" ? {} : { name: "Ada" },
  });
  assert.ok(write);
  const { outcomes, warnings } = await write.write(
    { ...order, readBack: false },
    await openServer(t, answer),
  );
  return { outcome: outcomes[0], warnings };
}

// https://developers.hubspot.com/docs/api-reference/crm-companies-v3 and Salesforce's REST API guide: 204, no body.
for (const provider of ["hubspot", "salesforce"] as const)
  test(`${provider}: a deletion is done after the documented success alone`, async (t) => {
    assert.ok((await writeTo(t, provider, "delete", { status: 204 })).outcome?.success);
    for (const answer of [
      { status: 202 },
      { status: 200, body: '{"message":"Please sign in"}' },
      { status: 207, body: '{"errors":[{"message":"no"}]}' },
      { status: 200, body: '{"status":"error","message":"no"}' },
    ]) {
      const { outcome } = await writeTo(t, provider, "delete", answer);
      assert.ok(outcome && !outcome.success, JSON.stringify(answer));
      assert.equal(outcome.error.kind, "unreadable");
      assert.match(outcome.error.message, new RegExp(`answered ${answer.status}`));
    }
  });

test("Salesforce: an update is done after the documented success alone", async (t) => {
  assert.ok((await writeTo(t, "salesforce", "update", { status: 204 })).outcome?.success);
  const { outcome } = await writeTo(t, "salesforce", "update", {
    status: 200,
    body: '{"message":"Please sign in"}',
  });
  assert.equal(outcome?.success === false && outcome.error.kind, "unreadable");
});

test("HubSpot: an update that another record answers is told with that record, and a warning", async (t) => {
  const body = JSON.stringify({ id: "8", properties: { name: "Ada" } });
  const { outcome, warnings } = await writeTo(t, "hubspot", "update", { status: 200, body });
  assert.equal(outcome?.success && outcome.recordId, "8");
  assert.match(warnings.join(), /record 8, with which record 7 may have been merged/);
});

test("HubSpot, Salesforce: a page that has words in place of records fails with these words", async (t) => {
  const fetching = await openServer(t, { status: 200, body: '{"message":"Please sign in"}' });
  for (const [provider, objectName] of [
    ["hubspot", "companies"],
    ["hubspot", "owners"],
    ["salesforce", "Account"],
  ] as const) {
    const { read } = withAccount(CATALOG[provider] ?? {}, { values: {} });
    assert.ok(read);
    const reading = Promise.resolve().then(() => read.readPage(planRead(objectName), undefined, fetching));
    await assert.rejects(reading, { kind: "unreadable", message: /Please sign in/ });
  }
});

test("what a provider answers in JSON is not taken for a page of something in between", async (t) => {
  const cut = await openServer(t, { status: 200, body: '{"results": [' });
  assert.equal(await kindAfter(cut, READ, ofHubspot), "unreadable");
});
