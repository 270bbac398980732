/** Signing in and out: where a person stays, what the browser keeps, and what happens when the session ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Suite } from "../run-suites.ts";
import { signIn } from "../open-dashboard.ts";

export const suite: Suite = (server) => {
  test("a wrong key is refused in place; signed in, no storage, address or readable cookie has key or token", async () => {
    const visit = await server().visitSignedOut();
    const { page } = visit;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await visit.open("/projects/_/api-keys");
    await page.waitForURL(/\/sign-in\?returnTo=/);
    await page.getByLabel("API key", { exact: true }).fill("bb_wrong_key_that_is_long_enough_0000");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").waitFor();
    assert.match(page.url(), /\/sign-in/);
    visit.forgive();

    await signIn(visit, server().busbar.apiKey);
    await page.waitForURL(/\/projects\/default\/api-keys$/);
    const kept: string = await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])",
    );
    assert.doesNotMatch(kept, /bb_|bbs_/);
    const stores = "Promise.all([indexedDB.databases(), caches.keys()])";
    assert.deepEqual(await page.evaluate(stores), [[], []]);
    assert.deepEqual(
      asked.filter((url) => /bbs?_/.test(url)),
      [],
    );
    const [cookie] = await visit.context.cookies();
    assert.equal(cookie?.name, "busbar_session");
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, "Strict"]);
    await visit.closeUntroubled();
  });

  test("the eleventh wrong key from an address is told how long to wait", async () => {
    const { busbar } = server();
    const headers = { "x-forwarded-for": "203.0.113.7" };
    const apiKey = "bb_wrong_key_that_is_long_enough_0000";
    for (let attempt = 1; attempt <= 10; attempt++)
      await busbar.call("POST", "/v1/sessions", { apiKey }, { ...headers, "x-api-key": "" });
    const visit = await server().visitSignedOut();
    const { page } = visit;
    await visit.context.setExtraHTTPHeaders(headers);
    await visit.open("/sign-in");
    await page.getByLabel("API key", { exact: true }).fill(busbar.apiKey);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("Too many wrong keys came from your address.").waitFor();
    await alert.getByText(/^Possible again (in \d|now)/).waitFor();
    assert.match(page.url(), /\/sign-in/);
    await visit.close();
  });

  test("the page first asked for follows the sign-in, but never another site", async () => {
    const visit = await server().visitSignedOut();
    await visit.open("/sign-in?returnTo=//evil.example/x");
    await signIn(visit, server().busbar.apiKey);
    assert.equal(new URL(visit.page.url()).origin, server().origin);
    await visit.closeUntroubled();
  });

  test("signed out elsewhere: a dialog asks to sign in again at the next call, a half-filled form stays, and the page goes on", async () => {
    const [here, elsewhere] = [await server().visitSignedOut(), await server().visitSignedOut()];
    const { page } = here;
    await signIn(here, server().busbar.apiKey);
    await elsewhere.context.addCookies(await here.context.cookies());
    await here.open("/projects/default/destinations");
    await page.getByRole("button", { name: "New destination" }).click();
    const form = page.getByRole("dialog", { name: "New destination" });
    await form.getByLabel("Name", { exact: true }).fill("half-filled");
    await elsewhere.open("/projects/default");
    await elsewhere.page.getByRole("button", { name: "Account menu" }).click();
    await elsewhere.page.getByRole("menuitem", { name: "Sign out" }).click();
    await elsewhere.page.waitForURL(/\/sign-in$/);
    await elsewhere.close();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    here.forgive();
    await dialog.getByLabel("API key", { exact: true }).fill(server().busbar.apiKey);
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    assert.equal(await form.getByLabel("Name", { exact: true }).inputValue(), "half-filled");
    await form.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "my-app", exact: true }).waitFor();
    here.forgive();
    await here.close();
  });

  test("signing out leads to the sign-in, and the session has ended", async () => {
    const visit = await server().visitSignedOut();
    const { page } = visit;
    await signIn(visit, server().busbar.apiKey);
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL(/\/sign-in$/);
    await visit.open("/projects/default/connections");
    await page.waitForURL(/\/sign-in\?/);
    await visit.close();
  });
};
