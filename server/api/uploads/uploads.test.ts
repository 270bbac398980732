/** Deploying through an uploaded zip, step by step as the published command line does it. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { strToU8, zipSync, type Zippable } from "fflate";
import { Client } from "pg";
import { shareTestBusbar, type Answer } from "../../../tests/harness/busbar.ts";
import { processorMs } from "../../../tests/harness/processor-ms.ts";
import { assertProblem } from "../../../tests/journeys/assert-problem.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: from-zip
    provider: github
    proxy: { enabled: true }
`;

/** YAML that takes long to read for its size. */
const list = (entries: number): string => `a: [${"1,".repeat(entries)}1]\n`;

const computeMd5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("base64");

const busbar = await shareTestBusbar();

describe("deploying a zip", () => {
  interface Announced {
    url: string;
    bucket: string;
    path: string;
  }

  async function announce(md5?: string): Promise<Announced> {
    const query = md5 === undefined ? "" : `?md5=${encodeURIComponent(md5)}`;
    const answer = await busbar.call("GET", `/v1/generate-upload-url${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  /** No key and no content type, like the command line; `Content-MD5` unless told otherwise. */
  async function put(url: string, bytes: Uint8Array, headers?: Record<string, string>): Promise<Answer> {
    const response = await fetch(url, {
      method: "PUT",
      headers: headers ?? { "content-md5": computeMd5(bytes) },
      body: new Uint8Array(bytes),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith("{") ? JSON.parse(text) : text,
    };
  }

  const batch = ({ bucket, path }: Announced) =>
    busbar.inProject("PUT", "/integrations:batch", { sourceZipUrl: `gs://${bucket}/${path}` });

  async function deployZip(bytes: Uint8Array): Promise<Answer> {
    const announced = await announce(computeMd5(bytes));
    const stored = await put(announced.url, bytes);
    assert.equal(stored.status, 204, stored.text);
    return batch(announced);
  }

  const names = async (): Promise<string[]> =>
    (await busbar.inProject("GET", "/integrations")).body.map((row: { name: string }) => row.name);

  test("announce with md5, put with Content-MD5 and no content type, deploy gs://bucket/path", async () => {
    const answer = await deployZip(zipSync({ "amp.yaml": strToU8(MANIFEST) }));
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(
      answer.body.map((row: { name: string }) => row.name),
      ["from-zip"],
    );
  });

  test("the address that was given out names the upload as well", async () => {
    const { url } = await announce();
    assert.equal((await put(url, zipSync({ "amp.yaml": strToU8(MANIFEST) }), {})).status, 204);
    const answer = await busbar.inProject("PUT", "/integrations:batch", { sourceZipUrl: url });
    assert.equal(answer.status, 200, answer.text);
  });

  test("the manifest may lie in one folder, among other files, stored or compressed", async () => {
    const files: Zippable = {
      "README.md": strToU8("hello"),
      "project/amp.yaml": [strToU8(MANIFEST.replace("from-zip", "from-folder")), { level: 0 }],
      "project/notes.txt": strToU8("x".repeat(10_000)),
    };
    const answer = await deployZip(zipSync(files));
    assert.equal(answer.body[0]?.name, "from-folder", answer.text);
  });

  test("the manifest at the top wins over one in a folder that stands before it", async () => {
    const files = {
      "example/amp.yaml": strToU8(MANIFEST.replace("from-zip", "example")),
      "amp.yaml": strToU8(MANIFEST.replace("from-zip", "from-top")),
    };
    const answer = await deployZip(zipSync(files));
    assert.equal(answer.body[0]?.name, "from-top", answer.text);
  });

  test("an md5 with plus signs arrives whole whether they are encoded or not", async () => {
    let bytes = zipSync({ "amp.yaml": strToU8(MANIFEST) });
    for (let salt = 0; !computeMd5(bytes).includes("+"); salt++) {
      bytes = zipSync({ "amp.yaml": strToU8(MANIFEST), salt: strToU8(String(salt)) });
    }
    const md5 = computeMd5(bytes);
    for (const query of [md5, encodeURIComponent(md5)]) {
      const { body } = await busbar.call("GET", `/v1/generate-upload-url?md5=${query}`);
      const stored = await put(body.url, bytes);
      assert.equal(stored.status, 204, stored.text);
    }
  });

  test("an address can be had from the write and read hosts too", async () => {
    for (const surface of ["write", "read"]) {
      const { status } = await busbar.call("GET", `/${surface}/v1/generate-upload-url`);
      assert.equal(status, 200);
    }
  });

  test("a manifest with mistakes inside a zip is refused with their lines", async () => {
    const bytes = zipSync({ "amp.yaml": strToU8(MANIFEST.replace("github", "githob")) });
    const problem = assertProblem(await deployZip(bytes), 422, "invalid-manifest");
    assert.equal(problem.issues[0].line, 4);
  });

  test("providers beside the manifest are deployed with it; a broken one is refused with its place", async () => {
    const provider = "authType: none\nbaseURL: https://api.quill.example\n";
    const files = (text: string, more: Record<string, string> = {}) =>
      zipSync({
        ...Object.fromEntries(Object.entries(more).map(([name, other]) => [name, strToU8(other)])),
        "folder/amp.yaml": strToU8(MANIFEST.replace("github", "x-quill").replace("from-zip", "own-zip")),
        "folder/providers/x-quill.yaml": strToU8(text),
      });
    const refused = await deployZip(files(`${provider}colour: red\n`));
    assert.equal(assertProblem(refused, 422).issues[0].name, "providers.x-quill.colour");
    const cyclic = assertProblem(await deployZip(files(`${provider}basicOpts: &a { b: *a }\n`)), 422);
    assert.match(cyclic.detail, /x-quill\.yaml: line 3: An alias contains itself/);
    const twice = assertProblem(
      await deployZip(files(provider, { "folder/providers/x-quill.json": "{}" })),
      422,
    );
    assert.match(twice.detail, /another file of x-quill/);
    assert.equal((await deployZip(files(provider))).status, 200);
    const { body } = await busbar.inProject("GET", "/providers/x-quill");
    assert.equal(body.provider.support.proxy, true);
  });

  const good = zipSync({ "amp.yaml": strToU8(MANIFEST) });
  const zeros = (megabytes: number) => new Uint8Array(megabytes * 1024 * 1024);
  const bomb = zipSync({ "amp.yaml": zeros(300) });
  const harmful: [what: string, bytes: Uint8Array, says: RegExp][] = [
    ["a bomb", bomb, /larger than 1 MB/],
    ["a bomb that lies about its size", withSize(bomb, 100), /./],
    ["a zip without amp.yaml", zipSync({ "other.yaml": strToU8(MANIFEST) }), /has no amp\.yaml/],
    ["an amp.yaml two folders deep", zipSync({ "a/b/amp.yaml": strToU8(MANIFEST) }), /has no amp\.yaml/],
    ["a folder named amp.yaml", zipSync({ "amp.yaml/": new Uint8Array(0) }), /has no amp\.yaml/],
    ["a path that leads out", zipSync({ "../../amp.yaml": strToU8(MANIFEST) }), /relative path/],
    ["an absolute path", zipSync({ "/amp.yaml": strToU8(MANIFEST) }), /absolute path/],
    ["half a zip", good.slice(0, good.length / 2), /cannot be read as a zip/],
    ["a zip with flipped bytes", flipped(good), /./],
    ["what is no zip", strToU8(MANIFEST), /cannot be read as a zip/],
    [
      "thousands of files",
      zipSync(Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`f${n}`, new Uint8Array(0)]))),
      /more than 1000 files/,
    ],
    [
      "a file of a provider that takes a second to read",
      zipSync({ "amp.yaml": strToU8(MANIFEST), "providers/x-quill.yaml": strToU8(list(120_000)) }),
      /providers\/x-quill.yaml is larger than 128 KiB/,
    ],
    [
      "providers that take long together",
      zipSync({
        "amp.yaml": strToU8(MANIFEST),
        ...Object.fromEntries(
          Array.from({ length: 50 }, (_, n) => [`providers/x-quill${n}.yaml`, strToU8(list(30_000))]),
        ),
      }),
      /more than 1 MiB/,
    ],
    ["an empty manifest", zipSync({ "amp.yaml": new Uint8Array(0) }), /mistake/],
  ];
  for (const [what, bytes, says] of harmful) {
    test(`${what} is refused with a reason and deploys nothing`, async () => {
      const before = await names();
      const usedMs = await processorMs(async () => {
        const problem = assertProblem(await deployZip(bytes), 422);
        assert.match(problem.detail, says);
      });
      assert.ok(usedMs < 2_000, `${usedMs} ms`);
      assert.deepEqual(await names(), before);
    });
  }

  test("an upload that does not match the announced md5 is refused, and the address still waits", async () => {
    const announced = await announce(computeMd5(good));
    const wrong = assertProblem(await put(announced.url, strToU8("something else")), 400);
    assert.match(wrong.detail, /MD5/);
    assertProblem(await batch(announced), 422);
    assert.equal((await put(announced.url, good)).status, 204);
  });

  test("an upload that does not match its own Content-MD5 is refused", async () => {
    const { url } = await announce();
    assertProblem(await put(url, good, { "content-md5": computeMd5(strToU8("other")) }), 400);
    assert.equal((await put(url, good, {})).status, 204);
  });

  test("an md5 that is none is refused when it is announced", async () => {
    const problem = assertProblem(await busbar.call("GET", "/v1/generate-upload-url?md5=abc"), 422);
    assert.equal(problem.issues[0].in, "query");
  });

  test("an address takes one upload; a second one is refused and the first stays", async () => {
    const announced = await announce();
    assert.equal((await put(announced.url, good)).status, 204);
    assertProblem(await put(announced.url, bomb), 404);
    const answer = await batch(announced);
    assert.equal(answer.status, 200, answer.text);
  });

  test("of uploads to one address at the same time exactly one is kept", async () => {
    const announced = await announce();
    const answers = await Promise.all(Array.from({ length: 6 }, () => put(announced.url, good)));
    const statuses = answers.map(({ status }) => status).toSorted();
    assert.equal(statuses[0], 204);
    assert.ok(
      statuses.slice(1).every((status) => status === 404 || status === 409),
      String(statuses),
    );
  });

  test("an empty upload is refused, and nobody is told to send JSON", async () => {
    const { url } = await announce();
    const { detail } = assertProblem(await put(url, new Uint8Array(0), {}), 400);
    assert.match(detail, /Send the zip/);
  });

  test("an upload of more than 50 MB is refused", async () => {
    const { url } = await announce();
    assertProblem(await put(url, zeros(51), {}), 413, "body-too-large");
  });

  test("an expired address takes nothing, and an expired upload does not deploy", async () => {
    const [empty, filled] = [await announce(), await announce()];
    assert.equal((await put(filled.url, good)).status, 204);
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    await client.query("update uploads set expire_time = now() - interval '1 second'");
    await client.end();
    assertProblem(await put(empty.url, good), 404);
    const problem = assertProblem(await batch(filled), 422);
    assert.match(problem.detail, /expired/);
  });

  const addresses = [
    "gs://busbar-uploads/uploads/00000000-0000-7000-8000-000000000000.zip",
    "gs://busbar-uploads/../../etc/passwd",
    "https://example.com/uploads/x.zip",
    "file:///etc/passwd",
    "",
  ];
  for (const sourceZipUrl of addresses) {
    test(`the source "${sourceZipUrl}" is refused without a look anywhere else`, async () => {
      assertProblem(await busbar.inProject("PUT", "/integrations:batch", { sourceZipUrl }), 422);
    });
  }
});

/** The zip with another uncompressed size in its directory and its local header. */
function withSize(zip: Uint8Array, size: number): Uint8Array {
  const bytes = Buffer.from(zip);
  bytes.writeUInt32LE(size, bytes.indexOf(Buffer.from("PK\x01\x02", "latin1")) + 24);
  bytes.writeUInt32LE(size, 22);
  return bytes;
}

/** The zip with damage inside its compressed data. */
function flipped(zip: Uint8Array): Uint8Array {
  const bytes = Buffer.from(zip);
  for (let at = 45; at < 75; at++) bytes[at] = 255 - (bytes[at] ?? 0);
  return bytes;
}
