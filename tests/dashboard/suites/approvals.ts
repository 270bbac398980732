/** Approvals: a person sees what an agent wants to change, and decides. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openAgent } from "../../harness/agent-client.ts";
import { addPerson } from "../../harness/people.ts";
import { signIn } from "../open-dashboard.ts";
import type { Suite } from "../run-suites.ts";

export const suite: Suite = (on) => {
  test("a person finds what an agent asked for, sees before and after, and approves it; a viewer cannot", async () => {
    const { on: busbar } = on();
    const create = { groupRef: "acme", type: "create", record: { email: "before@example.com" } };
    const { recordId } = (await busbar.write("hubspot", "contacts", create)).body.result;
    const key = await busbar.inProject("POST", "/api-keys", { label: "agent2", scopes: ["write"] });
    const agent = await openAgent(busbar, { credential: key.body.key });
    const record = { email: "after@example.com" };
    const { content } = await agent.call("update_record", { object: "contacts", id: recordId, record });
    const { approvalId } = content.approval;

    const visitor = await on().visitSignedOut();
    await signIn(visitor, (await addPerson(busbar, "viewer")).apiKey);
    await visitor.open(`/projects/default/approvals/${approvalId}`);
    const approve = visitor.page.getByRole("button", { name: "Approve" });
    await approve.locator("..").getByText("This needs the role editor; you are viewer.").waitFor();
    assert.ok(await approve.isDisabled());
    await visitor.close();

    const visit = await on().visit();
    const { page } = visit;
    await visit.open("/projects/default/approvals?status=pending");
    await page
      .getByRole("row", { name: /after@example\.com/ })
      .getByRole("link")
      .click();
    const row = page.getByRole("table", { name: "What changes" }).getByRole("row", { name: /email/ });
    await row.getByText('"before@example.com"').waitFor();
    await row.getByText('"after@example.com"').waitFor();
    await page.getByLabel("Reason").fill("The customer confirmed it");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("It was sent. Its operation says with what outcome.").waitFor();
    await page.getByText("The customer confirmed it").waitFor();
    await page.getByRole("link", { name: "Its operation" }).click();
    await page.getByText("Done").waitFor();
    visit.assertUntroubled();
    await visit.close();
  });
};
