/** Job 9: a colleague is invited, and gets a role. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addPerson } from "../../harness/people.ts";
import type { Suite } from "../dashboard.test.ts";

export const suite: Suite = (on) => {
  const people = () => `/orgs/${on().on.busbar.bootstrap?.orgId}/people`;

  test("an owner invites a colleague with a role and gets the link to send", async () => {
    const visit = await on().visit();
    const { page } = visit;
    await visit.open(people());
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail address").fill("new@acme.example");
    await dialog.getByLabel("Role").selectOption("support");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("Busbar sends no mail").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("row", { name: /new@acme\.example/ });
    await row.getByText("pending").waitFor();
    await row.getByRole("button", { name: "Revoke" }).click();
    await row.getByText("revoked").waitFor();
    visit.assertUntroubled();
    await visit.close();
  });

  test("a role is changed, and the audit says who did it", async () => {
    const { builderId } = await addPerson(on().on, "viewer");
    const visit = await on().visit();
    const { page } = visit;
    await visit.open(people());
    const role = page.getByRole("combobox", { name: "Role of The viewer" }).last();
    const changed = page.waitForResponse((response) => response.request().method() === "PATCH");
    await role.selectOption("support");
    assert.equal((await changed).status(), 200);
    await visit.open(`${people().replace("people", "audit")}?target=${builderId}`);
    await page.getByRole("row", { name: /updateMembership/ }).waitFor();
    visit.assertUntroubled();
    await visit.close();
  });

  test("a person sees their sessions and ends the others", async () => {
    const visit = await on().visit();
    await visit.open("/account");
    const { page } = visit;
    await page.getByRole("row", { name: /this one/ }).waitFor();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    visit.assertUntroubled();
    await visit.close();
  });
};
