/** Signing keys: rotated with a day's overlap, and sealed to their destination. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sealer } from "../../../ground/seal.ts";
import {
  listActiveKeys,
  newSigningKey,
  openDestinationSecrets,
  rotateSigningKey,
  sealDestinationSecrets,
  type DestinationSecrets,
} from "./destination-secrets.ts";

const HOUR_MS = 60 * 60_000;
const fresh = (): DestinationSecrets => ({ secrets: {}, signingKeys: [{ key: newSigningKey() }] });

test("a replaced key signs beside the new one for a day and no longer", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const before = fresh();
  const rotated = rotateSigningKey(before);
  const [newKey, oldKey, ...others] = listActiveKeys(rotated);
  assert.deepEqual([oldKey, others], [listActiveKeys(before)[0], []]);
  t.mock.timers.tick(24 * HOUR_MS - 1);
  assert.deepEqual(listActiveKeys(rotated), [newKey, oldKey]);
  t.mock.timers.tick(1);
  assert.deepEqual(listActiveKeys(rotated), [newKey]);
});

test("rotating again extends no key's life, and few keys sign however often it happens", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const first = rotateSigningKey(fresh());
  t.mock.timers.tick(23 * HOUR_MS);
  const second = rotateSigningKey(first);
  assert.equal(listActiveKeys(second).length, 3);
  t.mock.timers.tick(HOUR_MS);
  assert.deepEqual(listActiveKeys(second), [listActiveKeys(second)[0], listActiveKeys(first)[0]]);
  let often = second;
  for (let time = 0; time < 20; time++) often = rotateSigningKey(often);
  assert.equal(listActiveKeys(often).length, 5);
});

test("sealed secrets open for their own destination only", () => {
  const sealer = new Sealer([{ id: "a", secret: Buffer.alloc(32, 1) }]);
  const place = { id: "d1", projectId: "p1" };
  const secretsSealed = sealDestinationSecrets(sealer, place, fresh());
  assert.ok(openDestinationSecrets(sealer, { ...place, secretsSealed }));
  for (const other of [{ id: "d2" }, { projectId: "p2" }]) {
    assert.throws(() => openDestinationSecrets(sealer, { ...place, ...other, secretsSealed }));
  }
});
