/** The check of tokens in the browser. */
import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { checkToken } from "./check-token.ts";

const pair = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const KEY = { id: "k1", label: "server", publicKeyPem: pair.publicKey, active: true };
const NOW_MS = 1_800_000_000_000;
const iat = NOW_MS / 1_000;

function buildToken(claims: object, header: object = { alg: "RS256", kid: "K1" }): string {
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${text}.${sign("sha256", Buffer.from(text), pair.privateKey).toString("base64url")}`;
}
const GOOD = { groupRef: "acme", consumerRef: "ada ü", iat, exp: iat + 600 };
const listFaults = async (token: string, keys = [KEY]) => (await checkToken(token, keys, NOW_MS)).faults;

test("a token that the API accepts has no fault", async () => {
  const { faults, claims } = await checkToken(` ${buildToken(GOOD)}\n`, [KEY], NOW_MS);
  assert.deepEqual([faults, claims], [[], GOOD]);
});

test("every fault is named", async () => {
  const long = await listFaults(buildToken({ consumerRef: "ada", iat, exp: iat + 900 }));
  assert.deepEqual(long.length, 2);
  assert.match(long.join(" "), /`groupRef` is missing.*lives for 900 s/);
  assert.match((await listFaults(buildToken({ ...GOOD, iat: 1, exp: 2 }))).join(), /has expired/);
  assert.match(
    (await listFaults(buildToken(GOOD), [{ ...KEY, id: "other" }])).join(),
    /no JWT key of this project/,
  );
  assert.match((await listFaults(buildToken(GOOD), [{ ...KEY, active: false }])).join(), /switched off/);
  assert.match((await listFaults(buildToken(GOOD, { alg: "HS256", kid: "k1" }))).join(), /HS256/);
  const [head, , signature] = buildToken(GOOD).split(".");
  const [, other] = buildToken({ ...GOOD, groupRef: "evil" }).split(".");
  assert.match((await listFaults(`${head}.${other}.${signature}`)).join(), /not signed by the key server/);
  assert.match((await listFaults("nothing")).join(), /no JSON Web Token/);
  assert.match((await listFaults(buildToken({ ...GOOD, nbf: iat + 90 }))).join(), /`nbf` is in the future/);
});

test("where the browser cannot verify, no key is blamed", async (context) => {
  context.mock.getter(globalThis, "crypto", () => ({}));
  assert.match((await listFaults(buildToken(GOOD))).join(), /^Its signature was not checked/);
});
