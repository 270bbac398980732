/** Approvals: a person sees what an agent wants to change, and decides. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { manageUrl, openAgent } from "../../harness/agent-client.ts";
import { addPerson } from "../../harness/people.ts";
import { signIn } from "../open-dashboard.ts";
import type { Suite } from "../run-suites.ts";

export const suite: Suite = (server) => {
  test("a person finds what an agent asked for, sees before and after, and approves it; a viewer cannot", async () => {
    const { busbar } = server();
    const create = { groupRef: "acme", type: "create", record: { email: "before@example.com" } };
    const { recordId } = (await busbar.write("hubspot", "contacts", create)).body.result;
    const key = await busbar.inProject("POST", "/api-keys", { label: "agent2", scopes: ["write"] });
    const agent = await openAgent(busbar, { credential: key.body.key });
    const record = { email: "after@example.com" };
    const { content } = await agent.call("update_record", { object: "contacts", id: recordId, record });
    const { approvalId } = content.approval;

    const visitor = await server().visitSignedOut();
    await signIn(visitor, (await addPerson(busbar, "viewer")).apiKey);
    await visitor.open(`/projects/default/approvals/${approvalId}`);
    const approve = visitor.page.getByRole("button", { name: "Approve" });
    await approve.locator("..").getByText("This needs the role editor; you are viewer.").waitFor();
    assert.ok(await approve.isDisabled());
    await visitor.close();

    const visit = await server().visit();
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
    await visit.closeUntroubled();
  });

  test("a manifest that an agent would deploy is shown line by line", async () => {
    const { busbar } = server();
    const agent = await openAgent(busbar, { url: manageUrl(busbar) });
    const lines = ["specVersion: 1.0.0", "integrations:", "  - name: asked-for", "    provider: hubspot"];
    const manifest = `${lines.join("\n")}\n    proxy: { enabled: true }\n`;
    const { content } = await agent.call("deploy_manifest", { manifest });
    const visit = await server().visit();
    await visit.open(`/projects/default/approvals/${content.approval.approvalId}`);
    const shown = visit.page.getByRole("region", { name: "manifest", exact: true });
    await shown.waitFor();
    assert.equal(await shown.textContent(), manifest);
    await visit.closeUntroubled();
  });

  test("the policy is changed as a form: rules in their order, hidden fields, limits; a mistake stands at its field", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/agents");
    const save = page.getByRole("button", { name: "Save policy" });
    await page.getByText("Nothing has changed.").waitFor();
    const addRule = async (rule: number, tool: string, object: string, decision: string) => {
      await page.getByRole("button", { name: "Add a rule" }).click();
      const row = page.getByRole("group", { name: `Rule ${rule}` });
      await row.getByLabel("Tool").selectOption({ label: tool });
      await row.getByLabel("Object").fill(object);
      await row.getByLabel("Decision").selectOption({ label: decision });
    };
    await addRule(1, "Update a record", "con*", "Allow");
    await addRule(2, "Every tool", "deals", "Forbid");
    await save.click();
    const first = page.getByRole("group", { name: "Rule 1" });
    await first.getByText("`*` stands for every name").waitFor();
    visit.forgive();
    await first.getByLabel("Object").fill("contacts");
    await page.getByRole("button", { name: "Move rule 2 up" }).click();
    await page.getByLabel("Delete", { exact: true }).selectOption({ label: "Ask a person" });
    await page.getByRole("button", { name: "Hide fields of an object" }).click();
    await page
      .getByRole("group", { name: "Hidden fields 1" })
      .getByLabel("Object", { exact: true })
      .fill("contacts");
    await page.getByLabel("Fields, separated by commas").fill("ssn, birthday,");
    await page.getByLabel("Writes per hour, for one customer").fill("");
    await page.getByLabel("Writes per hour, in the project").fill("300");
    await page.getByLabel("An approval expires after minutes").fill("60");
    // The same policy as JSON and back.
    await page.getByText("JSON", { exact: true }).click();
    await page.getByText("Form", { exact: true }).click();
    await save.click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const { rules, ...stored } = (await busbar.inProject("GET", "/agent-policy")).body;
    assert.deepEqual(rules, [
      { tool: "*", object: "deals", decision: "forbid" },
      { tool: "update_record", object: "contacts", decision: "allow" },
    ]);
    assert.deepEqual(stored, {
      default: {
        read: "allow",
        write: "ask",
        delete: "ask",
        callApiRead: "allow",
        callApiWrite: "forbid",
      },
      hiddenFields: { contacts: ["ssn", "birthday"] },
      budgets: { writesPerHour: 300 },
      authorizationServers: [],
      approvalMinutes: 60,
      customersMayDecide: false,
      paused: false,
    });
    await busbar.inProject("PUT", "/agent-policy", {});
    await visit.closeUntroubled();
  });

  test("the policy is changed as JSON, a mistake is named with its place, and a pause survives saving", async () => {
    const { busbar } = server();
    const stored = async () => (await busbar.inProject("GET", "/agent-policy")).body;
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/agents");
    await page.getByText("JSON", { exact: true }).click();
    const field = page.getByLabel("Policy as JSON");
    const save = page.getByRole("button", { name: "Save policy" });
    await page.getByRole("button", { name: "Pause all agents" }).click();
    await page.getByText("All agents are paused: every call is refused.").waitFor();
    await field.fill("{");
    await page
      .getByText(/^Not JSON/)
      .first()
      .waitFor();
    assert.ok(await save.isDisabled());
    await field.fill('{"rules": [{"tool": "create_record", "decision": "maybe"}]}');
    await save.click();
    await page
      .getByText(/rules\[0\]\.decision/)
      .first()
      .waitFor();
    visit.forgive();
    await field.fill('{"rules": [{"tool": "create_record", "decision": "allow"}]}');
    await save.click();
    await page.getByText("Saved", { exact: true }).waitFor();
    assert.deepEqual([(await stored()).rules.length, (await stored()).paused], [1, true]);
    await page.getByRole("button", { name: "End the pause" }).click();
    await page.getByText("Agents work within the policy.").waitFor();
    assert.equal((await stored()).paused, false);
    await page.getByLabel("Customer", { exact: true }).fill("acme");
    const row = page.getByRole("row", { name: /^create_record/ });
    await row.getByText("allow").first().waitFor();
    await busbar.inProject("PUT", "/agent-policy", {});
    await visit.closeUntroubled();
  });
};
