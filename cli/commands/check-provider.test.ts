/** `busbar check provider` names each difference from the vendor's document, without a server. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runCli } from "../../tests/harness/command-line.ts";

const provider = (records: string): string => `displayName: Quill
authType: apiKey
baseURL: https://api.quill.example
apiKeyOpts: { attachmentType: header, header: { name: X-Key } }
connector:
  defaults: { list: { path: "/{path}" }, records: ${records}, paging: { none: true } }
  objects: { pens: { modes: [read] } }
  errors: { message: [error] }
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-26, invented" }
`;
const OPENAPI = `openapi: 3.0.0
info: { title: Quill, version: "7" }
paths:
  /pens:
    get:
      responses:
        "200":
          content:
            application/json:
              schema: { type: object, properties: { items: { type: array, items: { type: object, properties: { id: { type: string } } } } } }
`;

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "check-provider-"));
  await writeFile(join(folder, "x-right.yaml"), provider("items"));
  await writeFile(join(folder, "x-wrong.yaml"), provider("data"));
  await writeFile(join(folder, "x-broken.yaml"), provider("[]"));
  await writeFile(join(folder, "openapi.yaml"), OPENAPI);
});
after(() => rm(folder, { recursive: true }));
const check = (...args: string[]) => runCli(["check", "provider", ...args], {});

test("a file that agrees with the vendor's document ends with 0, and each difference with 1", async () => {
  const openapi = ["--openapi", join(folder, "openapi.yaml")];
  const right = await check(join(folder, "x-right.yaml"), ...openapi);
  assert.equal(right.code, 0, right.stderr);
  assert.match(right.stdout, /nothing is wrong; 1 requests compared with Quill 7, 0 are not in it/);
  const wrong = await check(join(folder, "x-wrong.yaml"), ...openapi);
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.stdout,
    /connector\.defaults\.records: the vendor's answer has no list at data; there is one at items/,
  );
  const broken = await check(join(folder, "x-broken.yaml"), ...openapi, "--json");
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /"kind": ?"fault"/);
});

test("a provider by which credentials cannot be tried is warned about, and ends with 0", async () => {
  const [head = ""] = provider("items").split("connector:");
  await writeFile(join(folder, "x-untried.yaml"), head);
  await writeFile(
    join(folder, "x-tried.yaml"),
    `${head}authHealthCheck: { url: "https://api.quill.example/me" }\n`,
  );
  const untried = await check(join(folder, "x-untried.yaml"));
  assert.equal(untried.code, 0, untried.stderr);
  assert.match(untried.stdout, /! authHealthCheck: nothing can try the credentials/);
  assert.match(untried.stdout, /: nothing else is wrong$/m);
  for (const name of ["x-tried.yaml", "x-right.yaml"])
    assert.doesNotMatch((await check(join(folder, name))).stdout, /authHealthCheck/);
});

test("a file that cannot be read, or is no OpenAPI document, is refused by name", async () => {
  const missing = await check(join(folder, "x-right.yaml"), "--openapi", join(folder, "nothing.yaml"));
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /nothing\.yaml cannot be read/);
  const strange = await check(join(folder, "x-right.yaml"), "--openapi", join(folder, "x-right.yaml"));
  assert.match(strange.stderr, /no OpenAPI document/);
});
