/** A provider of the project's own is created, changed and deleted; faults are shown where they are in the document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replaceText } from "../by-keyboard.ts";
import type { Suite } from "../run-suites.ts";

export const suite: Suite = (server) => {
  test("a template becomes a provider, a fault is listed with its line, the change is stored, and customers can be connected to it", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    const findings = page.getByRole("region", { name: "Findings" });
    await visit.open("/projects/default/providers");
    await page.getByRole("button", { name: "New provider" }).click();
    await page.getByLabel("Start from").selectOption("API key, with records to write and read");
    await page.getByLabel("Key", { exact: true }).fill("x-parrot");
    await findings.getByText("No findings.").waitFor();
    await page.getByRole("button", { name: "Create provider" }).click();
    await page.waitForURL(/\/providers\/x-parrot$/);
    await page.getByRole("heading", { name: "x-parrot" }).waitFor();
    await page.getByText("read, write, delete, proxy").waitFor();

    const { document } = (await busbar.inProject("GET", "/providers/x-parrot")).body;
    const changed = (more: object) => JSON.stringify({ ...document, ...more }, undefined, 2);
    await replaceText(visit, "Document", "displayName: Parrot\nauthType: apiKey\nbaseURL: nowhere\n");
    await findings.getByText(/line 3: baseURL/).waitFor();
    visit.forgive();
    await replaceText(visit, "Document", changed({ displayName: "Parrot" }));
    await findings.getByText("No findings.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Nothing has changed.").waitFor();
    await page.getByText("Parrot", { exact: true }).first().waitFor();
    const stored = (await busbar.inProject("GET", "/providers/x-parrot")).body;
    assert.deepEqual(stored.document, { ...document, displayName: "Parrot" });

    await visit.open("/projects/default/deploy?template=write");
    const ofParrot = `specVersion: 1.0.0
integrations:
  - name: parrots
    provider: x-parrot
    write: { objects: [{ objectName: people }] }
`;
    await replaceText(visit, "Manifest", ofParrot);
    await findings.getByText("No findings.").waitFor();

    await visit.open("/projects/default/providers/x-parrot");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(/\/providers$/);
    assert.equal((await busbar.inProject("GET", "/providers/x-parrot")).status, 404);
    await visit.closeUntroubled();
  });
};
