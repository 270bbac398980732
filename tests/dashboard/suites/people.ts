/** Job 9: a colleague is invited, and gets a role. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addPerson, signIn as readSession } from "../../harness/people.ts";
import { until } from "../../harness/until.ts";
import type { Suite } from "../run-suites.ts";
import { signIn } from "../open-dashboard.ts";

export const suite: Suite = (server) => {
  const people = () => `/orgs/${server().busbar.server.bootstrap?.orgId}/people`;

  test("an owner invites a colleague with a role and gets the link to send", async () => {
    const visit = await server().visit();
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
    await visit.closeUntroubled();
  });

  test("the last owner can be neither removed nor given a lower role, and it says why", async () => {
    const { body: members } = await server().busbar.call(
      "GET",
      people().replace(/^\/(.*)people$/, "/v1/$1builders"),
      undefined,
      {
        ...(await readSession(server().busbar)),
        "x-api-key": "",
      },
    );
    assert.equal(members.filter(({ role }: { role: string }) => role === "owner").length, 1);
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(people());
    const row = page.getByRole("row", { name: /^Owner/ });
    const remove = row.getByRole("button", { name: "Remove", description: "The last owner stays." });
    assert.ok(await remove.isDisabled());
    assert.equal(await row.getByRole("combobox").count(), 0);
    await row.getByText("owner", { exact: true }).waitFor();
    await visit.closeUntroubled();
  });

  test("a role is changed after a question, not by an arrow key alone, and the audit says who did it", async () => {
    const { builderId } = await addPerson(server().busbar, "viewer");
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(people());
    const role = page.getByRole("combobox", { name: "Role of The viewer" }).last();
    const dialog = page.getByRole("dialog", { name: "Change role" });
    await role.focus();
    await page.keyboard.press("ArrowDown");
    await dialog.getByText("is viewer and becomes support").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await role.inputValue(), "viewer");
    const changed = page.waitForResponse((response) => response.request().method() === "PATCH");
    await role.selectOption("support");
    await dialog.getByRole("button", { name: "Change" }).click();
    assert.equal((await changed).status(), 200);
    await visit.follow(`${people().replace("people", "audit")}?target=${builderId}`);
    await page.getByRole("row", { name: /updateMembership/ }).waitFor();
    await visit.closeUntroubled();
  });

  test("a person sees their sessions, with browser and system in words, and ends the others", async () => {
    const { busbar } = server();
    const { apiKey } = await addPerson(busbar, "support");
    const other = { ...(await readSession(busbar, apiKey)), "x-api-key": "" };
    const visit = await server().visitSignedOut();
    await signIn(visit, apiKey);
    await visit.open("/account");
    const { page } = visit;
    const sessions = page.getByRole("table", { name: "Sessions" }).locator("tbody tr");
    const own = sessions.filter({ hasText: "this one" });
    await own.getByText(/^Chrome \d+ on Linux$/).waitFor();
    assert.match((await own.getByTitle(/^Mozilla/).textContent()) ?? "", /^Chrome/);
    assert.equal(await sessions.count(), 3);
    await page.getByRole("button", { name: "Sign out everywhere else" }).click();
    await until(async () => (await sessions.count()) === 1);
    assert.equal((await busbar.call("GET", "/v1/my-info", undefined, other)).status, 401);
    await visit.closeUntroubled();
  });
};
