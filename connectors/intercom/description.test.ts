/** Searches show new contacts late (intercom/Intercom-OpenAPI, `descriptions/2.11/api.intercom.io.yaml`, 2026-08-21). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONNECTORS } from "../connectors.gen.ts";

/** "This delay can take a few minutes." */
const FEW_MINUTES = 5;

test("a read begins earlier than the last one by more than a search may show a new contact late", () => {
  const { overlapMs = 0 } = CONNECTORS["intercom"]?.read?.abilities ?? {};
  assert.ok(overlapMs > FEW_MINUTES * 60_000, `${overlapMs} ms`);
});
