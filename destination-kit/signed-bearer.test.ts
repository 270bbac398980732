/** Keys that sign bearer tokens: how they may be written, and which are refused. */
import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { readRsaKey } from "./signed-bearer.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const exportPem = (type: "pkcs1" | "pkcs8") => String(privateKey.export({ type, format: "pem" }));

test("a key is read with its line breaks, without them, and with escaped ones", () => {
  for (const pem of [exportPem("pkcs8"), exportPem("pkcs1")]) {
    const forms = [pem, pem.replaceAll("\n", ""), pem.replaceAll("\n", " "), pem.replaceAll("\n", "\\n")];
    for (const form of [...forms, ` ${pem}\n\n`, pem.replaceAll("\n", "\r\n")]) {
      const key = readRsaKey(form);
      assert.ok(typeof key === "object", String(key));
      assert.ok(key.equals(privateKey as KeyObject));
    }
  }
});

test("what is no key, is of another kind, too short or locked is refused with what is wrong", () => {
  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
  const other = generateKeyPairSync("ed25519").privateKey;
  const locked = privateKey.export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: "hush",
  });
  assert.match(String(readRsaKey("")), /no RSA key/);
  assert.match(String(readRsaKey(String(other.export({ type: "pkcs8", format: "pem" })))), /no RSA key/);
  assert.match(String(readRsaKey(String(locked))), /no RSA key/);
  assert.match(
    String(readRsaKey(String(weak.export({ type: "pkcs8", format: "pem" })))),
    /less than 2048 bits/,
  );
});
