/** Guards members of configurations that clients send under former names. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "../ground/json.ts";
import { withPresentNames } from "./former-names.ts";

const on = { enabled: true };
const off = { enabled: false };
const stored = (account: Json): Json => {
  const content = withPresentNames({ provider: "salesforce", subscribe: { objects: { account } } });
  return (content as { subscribe: { objects: { account: Json } } }).subscribe.objects.account;
};

describe("members of configurations under former names", () => {
  test("are stored under their present names", () => {
    assert.deepEqual(stored({ objectName: "account", salesforceQuotaOptimization: on }), {
      objectName: "account",
      providerOptions: { quotaOptimization: on },
    });
    assert.deepEqual(stored({ inheritFieldsAndMapping: true }), { inheritFieldsAndMappings: true });
  });

  test("do not replace what is sent under present names", () => {
    assert.deepEqual(
      stored({ salesforceQuotaOptimization: on, providerOptions: { quotaOptimization: off, more: 1 } }),
      { providerOptions: { quotaOptimization: off, more: 1 } },
    );
    assert.deepEqual(stored({ inheritFieldsAndMapping: true, inheritFieldsAndMappings: false }), {
      inheritFieldsAndMappings: false,
    });
  });

  test("leave anything else as it is, broken contents included", () => {
    const contents: Json[] = [null, 1, [], {}, { subscribe: 1 }, { subscribe: { objects: [1] } }];
    for (const content of contents) {
      assert.deepEqual(withPresentNames(content), content);
    }
    assert.deepEqual(stored(1), 1);
    const broken = { providerOptions: 1, salesforceQuotaOptimization: on };
    assert.deepEqual(stored(broken), { providerOptions: 1 });
  });
});
