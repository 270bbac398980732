/** Signing in at the organisation's identity provider, in a browser, on a Busbar that trusts a real issuer. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../harness/busbar.ts";
import { startIssuer, type TestIssuer } from "../../harness/issuer.ts";
import type { Suite } from "../run-suites.ts";
import { openVisit, untilBuilt } from "../open-dashboard.ts";

const PAGE = "/projects/cobol/destinations?type=webhook";

export const suite: Suite = (server) => {
  let issuer: TestIssuer;
  let busbar: TestBusbar;
  before(async () => {
    issuer = await startIssuer();
    busbar = await openTestBusbar({ env: { ...issuer.env, BUSBAR_DASHBOARD: "true" } });
    const grace = { ...(await issuer.sign()), "x-api-key": "" };
    const { body: org } = await busbar.call("POST", "/v1/orgs", { label: "Navy" }, grace);
    const project = { orgId: org.id, name: "cobol", appName: "COBOL" };
    const { status, text } = await busbar.call("POST", "/v1/projects", project, grace);
    assert.equal(status, 201, text);
    await untilBuilt(origin());
  });
  after(async () => {
    await busbar.stop();
    await issuer.close();
  });
  const origin = () => new URL(busbar.server.urls.base).origin;

  /** Opens an address signed out, and follows the button to the issuer's page. */
  const atIssuer = async (path: string) => {
    const visit = await openVisit({ browser: server().browser, origin: origin() });
    await visit.open(path);
    await visit.page.getByRole("link", { name: `Continue with ${new URL(issuer.url).host}` }).click();
    const link = visit.page.getByRole("link", { name: "I am Grace Hopper" });
    await link.waitFor();
    // The issuer's page is another origin, and is meant to be.
    visit.forgive();
    return { visit, link };
  };
  const cookies = async ({ visit }: Awaited<ReturnType<typeof atIssuer>>) =>
    (await visit.context.cookies(origin())).map(({ name }) => name);

  test("the issuer leads back to the page first asked for, signed in", async () => {
    const opened = await atIssuer(PAGE);
    const { page } = opened.visit;
    await opened.link.click();
    await page.waitForURL(origin() + PAGE);
    await page.getByRole("heading", { name: "Destinations", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByText("Grace Hopper").waitFor();
    await opened.visit.closeUntroubled();
  });

  test("a changed state is refused: a page says so, and nobody is signed in", async () => {
    const opened = await atIssuer("/");
    const { visit, link } = opened;
    const back = new URL((await link.getAttribute("href")) ?? "");
    back.searchParams.set("state", `${back.searchParams.get("state")}x`);
    const answer = await visit.page.goto(back.href);
    assert.equal(answer?.status(), 400);
    await visit.page.getByRole("heading", { level: 1 }).waitFor();
    assert.equal((await cookies(opened)).includes("busbar_session"), false);
    visit.forgive();
    await visit.open("/");
    await visit.page.waitForURL(/\/sign-in$/);
    await visit.close();
  });

  test("an address of another site is not followed after the issuer", async () => {
    for (const elsewhere of ["//evil.example/x", "https://evil.example/x"]) {
      const opened = await atIssuer(`/sign-in?returnTo=${encodeURIComponent(elsewhere)}`);
      await opened.link.click();
      await opened.visit.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
      assert.equal(new URL(opened.visit.page.url()).origin, origin());
      assert.ok((await cookies(opened)).includes("busbar_session"));
      await opened.visit.closeUntroubled();
    }
  });
};
