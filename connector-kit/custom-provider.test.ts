/** Providers that builders add: what a description of theirs supports, and how large a document may be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "../tests/harness/processor-ms.ts";
import { checkCustomProvider, listLiteralHosts } from "./custom-provider.ts";

const CONNECTION = { authType: "none", baseURL: "https://api.quill.example" };

test("a provider whose records can only be upserted supports writes", () => {
  const connector = {
    defaults: { modes: [] },
    objects: { people: { upsert: { method: "PUT", path: "/people/{value}", keys: ["email"] } } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  };
  const { own, faults } = checkCustomProvider("x-quill", { ...CONNECTION, connector });
  assert.deepEqual(faults, []);
  assert.equal(own?.info.support.write, true);
  assert.equal(own?.info.support.read, false);
});

test("the size of a document counts in bytes", () => {
  const { faults } = checkCustomProvider("x-quill", { ...CONNECTION, displayName: "ß".repeat(33 * 1024) });
  assert.match(faults[0]?.message ?? "", /larger than 64 KiB/);
});

test("a description that needs a value that no connection has is refused with its name", () => {
  const connector = {
    defaults: {},
    objects: { people: { modes: ["read"], list: { path: "/{connection.company}" }, paging: { none: true } } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  };
  const { faults } = checkCustomProvider("x-quill", { ...CONNECTION, connector });
  assert.equal(faults.length, 1);
  assert.match(faults[0]?.message ?? "", /needs the value company of the connection/);
  const metadata = { input: [{ name: "company", displayName: "Company" }] };
  assert.deepEqual(checkCustomProvider("x-quill", { ...CONNECTION, metadata, connector }).faults, []);
});

test("a description with more than 200 objects is refused at once: each of them is checked together with the defaults", async () => {
  const query = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`q${index}`, "{start}"]));
  const connector = (objects: number) => ({
    defaults: {
      modes: ["read"],
      list: { path: "/people", query },
      paging: { offset: { to: "fill.start" } },
    },
    objects: Object.fromEntries(Array.from({ length: objects }, (_, index) => [`o${index}`, {}])),
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  });
  const listFaults = (objects: number) =>
    checkCustomProvider("x-quill", { ...CONNECTION, connector: connector(objects) }).faults;
  const usedMs = await processorMs(() =>
    assert.deepEqual(listFaults(2_000), [
      { path: "connector.objects", message: "has 2000 objects; 200 are the most" },
    ]),
  );
  assert.ok(usedMs < 100, `${usedMs} ms`);
  assert.deepEqual(listFaults(200), []);
});

test("a path of many braces is refused at once", async () => {
  const connector = {
    defaults: { list: { path: `/${"{".repeat(60_000)}` } },
    objects: { people: { modes: ["read"], paging: { none: true } } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  };
  const usedMs = await processorMs(() => {
    const { faults } = checkCustomProvider("x-quill", { ...CONNECTION, connector });
    assert.match(faults[0]?.message ?? "", /brace without its partner/);
  });
  assert.ok(usedMs < 300, `${usedMs} ms`);
});

test("headers that belong to the transport, or that no request can have, are refused with their place", () => {
  const withHeader = (name: string, valueTemplate = "1") =>
    checkCustomProvider("x-quill", { ...CONNECTION, fixedHeaders: [{ name, valueTemplate }] }).faults;
  for (const name of ["Host", "content-length", "Transfer-Encoding", "Proxy-Connection", "X\r\nY", ""])
    assert.equal(withHeader(name)[0]?.path, "fixedHeaders[0].name", name);
  assert.equal(withHeader("X-Version", "1\r\nHost: y")[0]?.path, "fixedHeaders[0].valueTemplate");
  assert.deepEqual(withHeader("X-Version"), []);
});

test("credentials, steps and requests cannot set headers of the transport, or ones that no request can have", () => {
  const connector = (members: object) => ({
    defaults: { list: { path: "/people", ...members } },
    objects: { people: { modes: ["read"], paging: { none: true } } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  });
  const url = "https://api.quill.example/token";
  const documents = (name: string): [place: string, document: object][] => [
    [
      "apiKeyOpts.header.name",
      { authType: "apiKey", apiKeyOpts: { attachmentType: "header", header: { name } } },
    ],
    [
      "oauth2Opts.accessTokenOpts.header.name",
      {
        authType: "oauth2",
        oauth2Opts: {
          grantType: "clientCredentials",
          tokenURL: url,
          accessTokenOpts: { attachmentType: "accessTokenHeaderAttachment", header: { name } },
        },
      },
    ],
    ["customOpts.headers[0].name", { customOpts: { headers: [{ name, valueTemplate: "{{.token}}" }] } }],
    [
      `customOpts.connectSteps[0].request.headers.${name}`,
      { customOpts: { connectSteps: [{ request: { method: "GET", url, headers: { [name]: "1" } } }] } },
    ],
    [
      `customOpts.refreshSteps[0].request.headers.${name}`,
      { customOpts: { refreshSteps: [{ request: { method: "GET", url, headers: { [name]: "1" } } }] } },
    ],
    [`connector.defaults.list.headers.${name}`, { connector: connector({ headers: { [name]: "1" } }) }],
  ];
  for (const name of ["Host", "content-length", "Transfer-Encoding", "Upgrade", "X\r\nY", "Ä"])
    for (const [place, document] of documents(name)) {
      const { faults } = checkCustomProvider("x-quill", { ...CONNECTION, ...document });
      assert.deepEqual(
        faults.map(({ path }) => path),
        [place],
        `${name}: ${JSON.stringify(faults)}`,
      );
    }
  for (const [place, document] of documents("X-Quill"))
    assert.deepEqual(checkCustomProvider("x-quill", { ...CONNECTION, ...document }).faults, [], place);
  const prefixed = { attachmentType: "header", header: { name: "X-Quill", valuePrefix: "a\r\nb" } };
  const { faults } = checkCustomProvider("x-quill", {
    ...CONNECTION,
    authType: "apiKey",
    apiKeyOpts: prefixed,
  });
  assert.equal(faults[0]?.path, "apiKeyOpts.header.valuePrefix");
});

test("a default module that is none of the modules is refused, also one that every object has", () => {
  for (const defaultModule of ["crm", "constructor"])
    assert.equal(
      checkCustomProvider("x-quill", { ...CONNECTION, defaultModule }).faults[0]?.path,
      "defaultModule",
      defaultModule,
    );
});

test("every address that gets credentials is one of the origins, which never change", () => {
  const oauth2Opts = {
    grantType: "authorizationCode",
    authURL: "https://{{.workspace}}.quill.example/authorize",
    tokenURL: "https://{{.workspace}}.quill.example/token",
  };
  const facts = {
    authType: "oauth2",
    baseURL: "https://api.quill.example",
    metadata: { input: [{ name: "workspace", displayName: "Workspace" }] },
    authHealthCheck: { url: "https://health.quill.example/me", successStatusCodes: [200] },
    accountInfo: { url: "https://account.quill.example/me", fields: [] },
  };
  const withoutWorkspace = {
    authURL: "https://elsewhere.example/authorize",
    tokenURL: "http://10.0.0.1:8080/token",
  };
  const { own: before } = checkCustomProvider("x-quill", { ...facts, oauth2Opts });
  const { own: after } = checkCustomProvider("x-quill", {
    ...facts,
    oauth2Opts: { ...oauth2Opts, withoutWorkspace },
  });
  assert.ok(before && after);
  assert.doesNotMatch(before.origins, /elsewhere/);
  for (const origin of ["https://health.quill.example", "https://account.quill.example"])
    assert.ok(before.origins.split(" ").includes(origin), origin);
  for (const origin of ["https://elsewhere.example", "http://10.0.0.1:8080"])
    assert.ok(after.origins.split(" ").includes(origin), after.origins);
  const hosts = listLiteralHosts(after.info).map(({ path, host, isPlain }) => `${path} ${host} ${isPlain}`);
  assert.ok(hosts.includes("oauth2Opts.withoutWorkspace.tokenURL 10.0.0.1 true"), hosts.join());
});
