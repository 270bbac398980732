/** JWT keys through the API of a real Busbar. */
import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";

const spki = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();

const busbar = await shareTestBusbar();

describe("JWT keys", () => {
  const register = (publicKeyPem: string, more: object = { label: "web" }) =>
    busbar.inProject("POST", "/jwt-keys", { algorithm: "RS256", publicKeyPem, ...more });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });

  test("a key is registered, listed, renamed and deleted; older clients say name for label", async () => {
    const made = await register(spki(rsa.publicKey), { name: "old client" });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(Object.keys(made.body), ["kid"]);
    const path = `/jwt-keys/${made.body.kid}`;
    const shown = await busbar.inProject("GET", path);
    assert.equal(shown.body.label, "old client");
    assert.equal(shown.body.algorithm, "RSA");
    const renamed = await busbar.inProject("PATCH", path, {
      updateMask: ["label", "active"],
      jwtKey: { label: "new", active: false },
    });
    assert.equal(renamed.body.label, "new", renamed.text);
    assert.equal((await busbar.inProject("GET", "/jwt-keys")).body.length, 1);
    assert.equal((await busbar.inProject("GET", "/jwt-keys?active=true")).body.length, 0);
    assert.equal((await busbar.inProject("DELETE", path)).status, 204);
    assert.equal((await busbar.inProject("GET", path)).status, 404);
  });

  test("private keys, short keys, other kinds and other algorithms are refused with the reason", async () => {
    const secret = rsa.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const refused = await register(secret);
    assert.match(refused.body.detail, /private key/);
    assert.doesNotMatch(refused.text, /BEGIN/);
    const short = generateKeyPairSync("rsa", { modulusLength: 1_024 });
    assert.match((await register(spki(short.publicKey))).body.detail, /2048/);
    const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });
    assert.match((await register(spki(curve.publicKey))).body.detail, /RSA/);
    assert.equal((await register("nonsense")).status, 400);
    assert.equal((await register(spki(rsa.publicKey), { label: "x", algorithm: "HS256" })).status, 400);
  });
});
