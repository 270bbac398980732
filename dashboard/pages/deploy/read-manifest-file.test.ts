/** Opening a manifest from a file or a zip. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { strToU8, zipSync } from "fflate";
import { readManifestFile } from "./read-manifest-file.ts";

const buildFile = (content: string | Uint8Array<ArrayBuffer>): File => new File([content], "any");

test("a file is read as it is, and from a zip the amp.yaml nearest to its top level", async () => {
  assert.equal(
    await readManifestFile(buildFile("specVersion: 1.0.0 # kept\n")),
    "specVersion: 1.0.0 # kept\n",
  );
  const zip = zipSync({
    "folder/amp.yaml": strToU8("inner"),
    "amp.yaml": strToU8("outer"),
    "a/b/amp.yaml": strToU8("deep"),
  });
  assert.equal(await readManifestFile(buildFile(new Uint8Array(zip))), "outer");
});

test("a zip without a manifest is refused with the place where it belongs", async () => {
  const zip = zipSync({ "readme.md": strToU8("hello") });
  await assert.rejects(readManifestFile(buildFile(new Uint8Array(zip))), /no amp\.yaml at its top level/);
});
