/** Whom a refusal names to turn to: the operator's word, on both listeners. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestBusbar } from "../harness/busbar.ts";

test("every refusal names whom the operator named, and itself", async (scope) => {
  const support = {
    supportEmail: "help@example.com",
    supportPhone: "+49 30 123456",
    supportUrl: "https://example.com/help",
  };
  const busbar = await startTestBusbar(scope, {
    env: {
      BUSBAR_SUPPORT_EMAIL: support.supportEmail,
      BUSBAR_SUPPORT_PHONE: support.supportPhone,
      BUSBAR_SUPPORT_URL: support.supportUrl,
    },
  });
  const answers = [
    (await busbar.inProject("GET", "/integrations/nothing-here")).body,
    await (await fetch(`${busbar.server.urls.proxy}/anything`)).json(),
  ];
  for (const { supportEmail, supportPhone, supportUrl, instance, requestId } of answers) {
    assert.deepEqual({ supportEmail, supportPhone, supportUrl }, support);
    assert.equal(instance, `urn:uuid:${requestId}`);
  }
});
