/** A customer's configuration is changed in the form: schedules, conditions and events; what the form does not know stays. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectCustomer } from "../../harness/connect-customer.ts";
import { until } from "../../harness/until.ts";
import type { Suite } from "../run-suites.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: configured
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: my-app
          schedule: "*/30 * * * *"
          requiredFields: [{ fieldName: email }]
          optionalFields: [{ fieldName: lastname }]
    subscribe:
      objects:
        - objectName: contacts
          destination: my-app
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
          updateEvent: { enabled: always, requiredWatchFields: [email] }
`;

export const suite: Suite = (server) => {
  test("schedule, conditions, destination and events are chosen in the form, a refused cron expression is marked at its field, and nothing that the form does not show is lost", async () => {
    const { busbar } = server();
    const dynamicMappingsInput = [{ mapToName: "nick", fieldName: "firstname" }];
    const contacts = { objectName: "contacts", dynamicMappingsInput, ours: { kept: true } };
    const customer = await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "configured",
      manifest: MANIFEST,
      integration: "configured",
      content: { read: { objects: { contacts } }, ours: "kept" },
      skipSampling: true,
    });
    const path = `/integrations/configured/installations/${customer.installationId}`;
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(`/projects/default${path}?tab=configuration`);
    const read = page.getByRole("group", { name: "Read contacts" });
    await read.getByText("Only in JSON: dynamicMappingsInput, ours.").waitFor();
    await read.getByLabel("Schedule").selectOption("A cron expression");
    await read.getByLabel("Cron expression").fill("* * * * *");
    await read.getByLabel("Initial read").selectOption("Records of the last days");
    await read.getByLabel("Days", { exact: true }).fill("7");
    await read.getByLabel("Destination").selectOption("broken");
    await read.getByLabel("Also deliver which records were deleted").check();
    await read.getByRole("button", { name: "Add a condition" }).click();
    await read.getByLabel("Field", { exact: true }).selectOption("lifecyclestage");
    await read.getByLabel("Equals").selectOption("customer");
    const subscribe = page.getByRole("group", { name: "Subscribe to contacts" });
    await subscribe.getByLabel("Created records").uncheck();
    await subscribe.getByLabel("Deleted records").check();
    await subscribe.getByLabel("An update counts when").selectOption("one of these fields changes");
    await subscribe.getByLabel("Find a field").fill("lastname");
    await subscribe.getByLabel(/\(lastname\)/).check();
    await page.getByRole("button", { name: "Save" }).click();
    await read.getByText(/The schedule has runs 1 minute apart/).waitFor();
    visit.forgive();
    await read.getByLabel("Schedule").selectOption("Every hour");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Nothing has changed.").waitFor();
    const { content, createdBy } = (await busbar.inProject("GET", path)).body.config;
    assert.match(createdBy, /^builder:/);
    await page.getByText("Saved by Owner.").waitFor();
    await page.getByText("API (create-installation)", { exact: true }).waitFor();
    assert.equal(content.ours, "kept");
    assert.deepEqual(content.read.objects.contacts, {
      ...contacts,
      selectedFields: {},
      selectedFieldMappings: {},
      schedule: "0 * * * *",
      backfill: { defaultPeriod: { days: 7 } },
      destination: "broken",
      deletedRecords: "always",
      fieldFilters: [{ fieldName: "lifecyclestage", operator: "eq", value: "customer" }],
    });
    assert.deepEqual(content.subscribe.objects.contacts, {
      objectName: "contacts",
      destination: "my-app",
      inheritFieldsAndMappings: true,
      createEvent: { enabled: "never" },
      deleteEvent: { enabled: "always" },
      updateEvent: { enabled: "always", requiredWatchFields: ["email", "lastname"] },
    });
    await subscribe.getByRole("button", { name: "Back to the manifest" }).click();
    assert.equal(await subscribe.getByLabel("Created records").isChecked(), true);
    await visit.closeUntroubled();
    await busbar.inProject("DELETE", "/integrations/configured");
  });

  test("a mapping to a path is shown, what the manifest maps by default is named, and a refused path is marked at its field", async () => {
    const { busbar } = server();
    const manifest = `specVersion: 1.0.0
integrations:
  - name: mapped
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: my-app
          schedule: "*/30 * * * *"
          requiredFields: [{ fieldName: email }]
          optionalFields: [{ mapToName: mail }, { mapToName: job, default: jobtitle }]
`;
    const contacts = { objectName: "contacts", selectedFieldMappings: { mail: "$['emails'][0]['value']" } };
    const customer = await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "mapped",
      manifest,
      integration: "mapped",
      content: { read: { objects: { contacts } } },
      skipSampling: true,
    });
    const path = `/integrations/mapped/installations/${customer.installationId}`;
    const mappings = async () =>
      (await busbar.inProject("GET", path)).body.config.content.read.objects.contacts.selectedFieldMappings;
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(`/projects/default${path}?tab=configuration`);
    const read = page.getByRole("group", { name: "Read contacts" });
    const typed = read.getByLabel("Path of mail");
    assert.equal(await typed.inputValue(), "$['emails'][0]['value']");
    const job = read.getByLabel("job", { exact: true });
    assert.equal(await job.locator("option:checked").textContent(), "As the manifest: jobtitle");
    await typed.fill("$['mails'][0]");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator("[aria-invalid=true]").and(typed).waitFor();
    visit.forgive();
    await read.getByLabel("mail", { exact: true }).selectOption("lastname");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Nothing has changed.").waitFor();
    assert.equal((await mappings()).mail, "lastname");
    await visit.closeUntroubled();
    await busbar.inProject("DELETE", "/integrations/mapped");
  });

  test("a configuration that the customer changes meanwhile is shown, and is not overwritten unseen; leaving with unsaved changes asks first", async () => {
    const { busbar } = server();
    const customer = await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "meanwhile",
      manifest: MANIFEST,
      integration: "configured",
      content: { read: { objects: { contacts: { objectName: "contacts" } } } },
      skipSampling: true,
    });
    const path = `/integrations/configured/installations/${customer.installationId}`;
    const changeSchedule = async (schedule: string) => {
      const { config } = (await busbar.inProject("GET", path)).body;
      config.content.read.objects.contacts.schedule = schedule;
      const body = { updateMask: ["config.content"], installation: { config: { content: config.content } } };
      const { status, text } = await busbar.inProject("PATCH", path, body);
      assert.equal(status, 200, text);
    };
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(`/projects/default${path}?tab=configuration`);
    const read = page.getByRole("group", { name: "Read contacts" });
    const schedule = read.getByLabel("Schedule");
    await schedule.waitFor();
    await changeSchedule("0 */6 * * *");
    await until(async () => (await schedule.inputValue()) === "0 */6 * * *");
    await read.getByLabel("Also deliver which records were deleted").check();
    await changeSchedule("0 * * * *");
    const notice = page.getByRole("alert").filter({ hasText: "The configuration was changed meanwhile" });
    await notice.waitFor();
    assert.equal(await page.getByRole("button", { name: "Save" }).isDisabled(), true);
    const leaving = page.getByRole("dialog", { name: "Leave without saving?" });
    await page.getByRole("tab", { name: "Operations" }).click();
    await leaving.getByRole("button", { name: "Cancel" }).click();
    await notice.getByRole("button", { name: "Load the new one" }).click();
    await until(async () => (await schedule.inputValue()) === "0 * * * *");
    await page.getByText("Nothing has changed.").waitFor();
    await page.getByRole("tab", { name: "Operations" }).click();
    await page.getByRole("table", { name: "Operations" }).or(page.getByText("No operations")).waitFor();
    assert.equal(await leaving.count(), 0);
    await visit.closeUntroubled();
    await busbar.inProject("DELETE", "/integrations/configured");
  });
};
