/** Job 4: a key is replaced without an interruption. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { signIn as readSession } from "../../harness/people.ts";
import type { Suite } from "../run-suites.ts";

export const suite: Suite = (server) => {
  test("labels keep their room beside many scopes and limits, in a wide window and in one of medium width", async () => {
    const { busbar } = server();
    const { body } = await busbar.inProject("POST", "/api-keys", {
      label: "the server of the team that sells to large companies",
      scopes: ["read", "write", "proxy"],
      allowedAddresses: ["10.0.0.0/8", "192.0.2.7"],
      rateLimit: { requestsPerSecond: 50 },
    });
    for (const width of [1_280, 1_024]) {
      const visit = await server().visit({ width });
      const { page } = visit;
      await visit.open("/projects/default/api-keys");
      const label = page
        .getByRole("row", { name: /the server of the team/ })
        .getByRole("cell")
        .first();
      const box = await label.boundingBox();
      assert.ok(box && box.width >= 96, `${width}: ${box?.width}`);
      const wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      assert.equal(await page.evaluate(wide), 0);
      await visit.closeUntroubled();
    }
    await busbar.inProject("DELETE", `/api-keys/${body.id}`);
  });

  test("a new key is shown once, then only its beginning; it is switched off and deleted", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/api-keys");
    await page.getByRole("button", { name: "New API key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Label").fill("ci server");
    await dialog.getByRole("button", { name: "Create" }).click();
    const field = dialog.getByRole("textbox", { name: "API key" });
    const key = await field.inputValue();
    assert.match(key, /^bb_[\w-]{43}[0-9a-z]{7}$/);
    await dialog.getByRole("button", { name: "Copy", exact: true }).waitFor();
    const done = dialog.getByRole("button", { name: "Done" });
    assert.ok(await done.isDisabled());
    await dialog.getByLabel("I have stored it").check();
    await done.click();
    await dialog.waitFor({ state: "detached" });
    assert.equal((await page.content()).includes(key), false);
    const used = await server().busbar.inProject("GET", "", undefined, { "x-api-key": key });
    assert.equal(used.status, 200);
    const row = page.getByRole("row", { name: /ci server/ });
    await row.getByText(key.slice(0, 7)).waitFor();
    await row.getByText("Owner", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Switch off" }).click();
    await row.getByText("inactive").waitFor();
    await row.getByRole("button", { name: "Delete" }).click();
    const confirm = page.getByRole("dialog", { name: "Delete API key ci server" });
    await confirm.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    await visit.closeUntroubled();
  });

  test("a key is replaced by one with the same scopes, and a new one gets the scopes that are chosen", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    const dialog = page.getByRole("dialog");
    const create = async () => {
      await dialog.getByRole("button", { name: "Create" }).click();
      const key = await dialog.getByRole("textbox", { name: "API key" }).inputValue();
      await dialog.getByLabel("I have stored it").check();
      await dialog.getByRole("button", { name: "Done" }).click();
      const made = await busbar.inProject("GET", `/api-keys/${key}`);
      await busbar.inProject("DELETE", `/api-keys/${key}`);
      return made.body.scopes;
    };
    const old = { label: "worker", scopes: ["write", "proxy"] };
    const { body } = await busbar.inProject("POST", "/api-keys", old);
    await visit.open("/projects/default/api-keys");
    await page
      .getByRole("row", { name: /worker/ })
      .getByRole("button", { name: "Replace" })
      .click();
    assert.deepEqual(await create(), ["write", "proxy"]);
    await page.getByRole("button", { name: "New API key" }).click();
    await dialog.getByLabel("Label").fill("reports");
    await dialog.getByLabel("Used by").selectOption("some");
    assert.ok(await dialog.getByRole("button", { name: "Create" }).isDisabled());
    await dialog.getByRole("checkbox", { name: /read-only/ }).check();
    assert.deepEqual(await create(), ["read-only"]);
    await busbar.inProject("DELETE", `/api-keys/${body.id}`);
    await visit.closeUntroubled();
  });

  test("the last use of a key moves by itself; the last full key can be neither switched off nor deleted, with the reason", async () => {
    const { busbar } = server();
    const owner = { ...(await readSession(busbar)), "x-api-key": "" };
    const project = { orgId: busbar.server.bootstrap?.orgId, name: "one-key", appName: "One key" };
    await busbar.call("POST", "/v1/projects", project, owner);
    const keys = "/v1/projects/one-key/api-keys";
    const { body } = await busbar.call("POST", keys, { label: "only", scopes: ["full"] }, owner);
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/one-key/api-keys");
    const row = page.getByRole("row", { name: /only/ });
    for (const name of ["Switch off", "Delete"])
      assert.ok(await row.getByRole("button", { name }).isDisabled(), name);
    await row.getByText("The last full key without an end stays.").waitFor();
    assert.equal((await busbar.call("DELETE", `${keys}/${body.id}`, undefined, owner)).status, 409);
    const lastUsed = row.locator("[data-head='Last used']");
    await lastUsed.getByText("never").waitFor();
    const headers = { "x-api-key": body.key };
    assert.equal((await busbar.call("GET", "/v1/projects/one-key", undefined, headers)).status, 200);
    await lastUsed.getByText(/now|ago/).waitFor();
    await visit.closeUntroubled();
    await busbar.call("DELETE", "/v1/projects/one-key", undefined, owner);
  });
};
