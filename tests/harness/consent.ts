/** Goes the way of a consent as a browser does, by HTTP: the page before the provider's, the provider's, and back. */
import assert from "node:assert/strict";

export interface Seen {
  status: number;
  html: string;
  headers: Headers;
  form?: Form;
  /** What the page posts to the window that opened it. */
  message?: { eventType: string; message?: string; data: { connection?: string; error?: string } };
}

interface Form {
  action: string;
  fields: Record<string, string>;
}

export interface ConsentBrowser {
  /** The cookies so far, as sent. */
  cookies(): string;
  /** Opens the address; redirects are not followed. */
  open(url: string): Promise<Seen>;
  /** Sends a form, as another page would. */
  post(url: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Seen>;
  /** Sends the form of the page that was opened last, with more fields or headers. */
  send(fields?: Record<string, string>, headers?: Record<string, string>): Promise<Seen>;
  /** Opens the address that the API returned and continues. Returns the URL of the provider's page. */
  leave(url: string): Promise<string>;
  /** Decides on the provider's page. Returns the URL that leads back. */
  decide(url: string, decision?: "allow" | "deny"): Promise<string>;
  /** All of it. Returns the last page. */
  consent(url: string, decision?: "allow" | "deny"): Promise<Seen>;
}

export function openConsentBrowser(): ConsentBrowser {
  const jar = new Map<string, string>();
  let form: Form | undefined;
  const cookies = () => [...jar].map((pair) => pair.join("=")).join("; ");
  const request = async (url: string, init: RequestInit = {}): Promise<Seen> => {
    const headers = new Headers(init.headers);
    headers.set("cookie", cookies());
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=");
      jar.set(name, value);
    }
    const html = await response.text();
    form = findForm(html, url);
    const posted = /postMessage\((\{.*?\}), "\*"\)/.exec(html)?.[1];
    return {
      status: response.status,
      html,
      headers: response.headers,
      form,
      ...(posted && { message: JSON.parse(posted) }),
    };
  };
  const browser: ConsentBrowser = {
    cookies,
    open: (url) => request(url),
    post: (url, fields, headers = {}) =>
      request(url, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams(fields),
      }),
    send: async (fields = {}, headers = {}) => {
      assert.ok(form, "the page has no form");
      return browser.post(form.action, { ...form.fields, ...fields }, headers);
    },
    async leave(url) {
      const page = await browser.open(url);
      assert.equal(page.status, 200, page.html);
      const gone = await browser.send({ decision: "continue" });
      assert.equal(gone.status, 303, gone.html);
      return gone.headers.get("location") ?? "";
    },
    async decide(url, decision = "allow") {
      const page = await request(`${url}&decision=${decision}`);
      assert.equal(page.status, 302, page.html);
      return page.headers.get("location") ?? "";
    },
    consent: async (url, decision) => browser.open(await browser.decide(await browser.leave(url), decision)),
  };
  return browser;
}

function findForm(html: string, url: string): Form | undefined {
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1];
  if (action === undefined) return undefined;
  const inputs = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return {
    action: new URL(action, url).href,
    fields: Object.fromEntries(
      [...inputs].map(([, name = "", value = ""]) => [decodeCharacters(name), decodeCharacters(value)]),
    ),
  };
}

const decodeCharacters = (html: string): string =>
  html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
