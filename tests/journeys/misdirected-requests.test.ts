/** Requests that went to the wrong address: each is told the right one in a Problem. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar, type Answer } from "../harness/busbar.ts";
import { assertProblem } from "./assert-problem.ts";

const busbar = await shareTestBusbar();

describe("a request that went astray", () => {
  const NO_NAMES = { "x-amp-proxy-version": "", "x-amp-project-id": "" };
  const cases: { title: string; send: () => Promise<Answer>; status: number; type: string; says: RegExp }[] =
    [
      {
        title: "to the API that is meant for the proxy",
        send: () => busbar.call("GET", "/crm/v3/objects/contacts", undefined, { "x-amp-proxy-version": "1" }),
        status: 404,
        type: "unknown-path",
        says: /This is the API; a call with `X-Amp-Proxy-Version` goes to the proxy/,
      },
      {
        title: "to the proxy that is meant for the API",
        send: () => busbar.proxied({ integration: "", groupRef: "" }, "/v1/projects", NO_NAMES),
        status: 400,
        type: "invalid-request",
        says: /x-amp-project-id.*This is the proxy; the API has an address of its own/s,
      },
      {
        title: "to the API that is meant for the proxy, without its headers",
        send: () => busbar.call("GET", "/crm/v3/objects/contacts"),
        status: 404,
        type: "unknown-path",
        says: new RegExp(`go to the proxy: http://127.0.0.1:\\d+`),
      },
      {
        title: "without the version, from a client that takes anything",
        send: () => busbar.call("GET", "/projects", undefined, { accept: "*/*" }),
        status: 404,
        type: "unknown-path",
        says: /Did you mean \/v1\/projects\?/,
      },
      {
        title: "without the version, below a project",
        send: () =>
          busbar.call("GET", "/projects/default/operations", undefined, { accept: "application/json" }),
        status: 404,
        type: "unknown-path",
        says: /no endpoint at GET \/projects/,
      },
      {
        title: "to a project whose name is misspelt",
        send: () => busbar.call("GET", "/v1/projects/defualt/integrations"),
        status: 404,
        type: "not-found",
        says: /Did you mean "default"\?/,
      },
    ];

  for (const { title, send, status, type, says } of cases) {
    test(`${title} is told the way`, async () => {
      assert.match(assertProblem(await send(), status, type).detail, says);
    });
  }
});
