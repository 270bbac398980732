/** Brevo lists the newest records first unless it is asked for another order: new ones would move what was read to later pages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["brevo"] ?? {};
assert.ok(read);

/** The reference of 2026-11 (get-contacts, get-all-companies, get-all-deals) and the vendor's client (getLists): `sort` is `asc` or `desc`. */
test("every list is asked for in the order of creation", async () => {
  for (const name of ["lists", "contacts", "companies", "deals"]) {
    const { fetch, requests } = replay({ status: 200, body: {} });
    await read.readPage(planRead(name), undefined, fetch).catch(() => undefined);
    const [request] = requests;
    assert.ok(request, name);
    assert.equal(new URL(request.path, "https://api.brevo.com").searchParams.get("sort"), "asc", name);
  }
});
