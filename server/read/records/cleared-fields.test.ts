/** A field whose value is removed arrives as null, also from a provider that then leaves it out of its answers. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Facts } from "../../../connector-kit/facts/facts.ts";
import { nowMs } from "../../../ground/clock.ts";
import { startVendor, type Intercept, type RunningVendor } from "../../../simulations/vendor/start-vendor.ts";
import { readFacts } from "../../../simulations/vendor/suite/facts-subject.ts";
import type { VendorRecord } from "../../../simulations/vendor/vendor-records.ts";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { openSink, type Sink } from "../../../tests/harness/deliveries/sink.ts";
import { until } from "../../../tests/harness/until.ts";
import { addWebhook } from "../../../tests/harness/deliveries/routes.ts";

/** Writes an integration that reads two fields of Square's customers, without a backfill. */
const writeSmallIntegration = (name: string, field: string): string => `  - name: ${name}
    provider: square
    read:
      objects:
        - objectName: customers
          destination: people
          schedule: "*/10 * * * *"
          requiredFields:
            - fieldName: given_name
            - fieldName: ${field}
              mapToName: comment`;

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: square
    provider: square
    read:
      objects:
        - objectName: customers
          destination: people
          schedule: "*/10 * * * *"
          requiredFields:
            - fieldName: given_name
            - fieldName: note
              mapToName: comment
            - fieldName: "$['address']['locality']"
              mapToName: city
            - fieldName: nickname
            - fieldName: nik_name
          backfill: &all { defaultPeriod: { fullHistory: true } }
${writeSmallIntegration("changes", "note")}
${writeSmallIntegration("hurried", "company_name")}
${writeSmallIntegration("barred", "reference_id")}
${writeSmallIntegration("long", "company_name")}
  - name: kit
    provider: kit
    read:
      objects:
        - objectName: subscribers
          destination: people
          schedule: "*/10 * * * *"
          requiredFields:
            - fieldName: first_name
            - fieldName: "$['fields']['city']"
              mapToName: town
          backfill: *all
  - name: pipedrive
    provider: pipedrive
    read:
      objects:
        - objectName: persons
          destination: people
          schedule: "*/10 * * * *"
          requiredFields: [{ fieldName: name }]
          optionalFields: [{ mapToName: tier }]
          backfill: *all
`;

interface Entry {
  id?: string;
  fields: Record<string, unknown>;
  mappedFields: Record<string, unknown>;
}

const requireFacts = (provider: string): Facts => {
  const facts = readFacts(provider);
  assert.ok(facts);
  return facts;
};

describe("a provider that leaves out fields without a value", () => {
  let busbar: TestBusbar;
  let square: RunningVendor;
  let pipedrive: RunningVendor;
  let kit: RunningVendor;
  let sink: Sink;
  let intercept: Intercept = (_request, carryOut) => carryOut();
  const pipedriveFacts = requireFacts("pipedrive");
  before(async () => {
    sink = await openSink();
    square = await startVendor(requireFacts("square"), {
      intercept: (request, carryOut) => intercept(request, carryOut),
    });
    pipedrive = await startVendor(pipedriveFacts);
    kit = await startVendor(requireFacts("kit"));
    busbar = await openTestBusbar({
      env: { BUSBAR_MINUTE_MS: "50", BUSBAR_RETRY_BASE_SECONDS: "0.05" },
      providers: {
        square: { baseURL: square.url },
        pipedrive: { baseURL: pipedrive.url },
        kit: { baseURL: kit.url },
      },
    });
    await addWebhook(busbar, "people", `${sink.url}/people`);
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
  });
  after(async () => {
    await busbar?.stop();
    await square?.close();
    await pipedrive?.close();
    await kit?.close();
    await sink?.close();
  });

  async function install(integration: string, object: { objectName: string }, provider = integration) {
    const connection = await busbar.inProject("POST", "/connections:generate", {
      provider,
      groupRef: integration,
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: `t-${integration}` } },
    });
    assert.equal(connection.status, 201, connection.text);
    const content = { provider, read: { objects: { [object.objectName]: object } } };
    const installed = await busbar.inProject("POST", `/integrations/${integration}/installations`, {
      groupRef: integration,
      config: { content },
    });
    assert.equal(installed.status, 201, installed.text);
  }
  const arrived = ({ id }: VendorRecord, groupRef?: string): Entry[] =>
    sink
      .messagesAt("/people")
      .map(({ body }) => JSON.parse(body) as { groupRef: string; result: Entry[] })
      .filter((message) => groupRef === undefined || message.groupRef === groupRef)
      .flatMap(({ result }) => result)
      .filter((entry) => entry.id === id);
  const change = (record: VendorRecord, fields: VendorRecord["fields"]) => {
    record.fields = fields;
    record.changedMs = nowMs();
  };
  /** Returns the entry of a record with this value. */
  const entry = (record: VendorRecord, field: string, value: string): Promise<Entry> =>
    until(() => arrived(record).find(({ fields }) => fields[field] === value));
  async function readEachLog(integration: string): Promise<string[]> {
    const { results } = (await busbar.inProject("GET", `/operations?type=read&integration=${integration}`))
      .body;
    const logs = results.map(({ id }: { id: string }) => busbar.inProject("GET", `/operations/${id}/logs`));
    return (await Promise.all(logs)).map(({ text }) => text);
  }
  const readLogs = async (integration: string): Promise<string> =>
    (await readEachLog(integration)).join("\n");

  test("tells them as null where another record of the page or of a read before has them, and leaves out what none has", async () => {
    const { records } = square.vendor;
    const address = { locality: "Oslo", country: "NO" };
    const ada = records.put("customers", { fields: { given_name: "Ada", note: "new", address } });
    const bo = records.put("customers", { fields: { given_name: "Bo" } });
    await install("square", { objectName: "customers" });
    const { fields, mappedFields } = await entry(bo, "given_name", "Bo");
    assert.deepEqual([fields, mappedFields], [{ given_name: "Bo" }, { comment: null, city: null }]);
    assert.deepEqual((await entry(ada, "given_name", "Ada")).mappedFields, { comment: "new", city: "Oslo" });

    change(ada, { given_name: "Ada II", address: { country: "NO" } });
    const cleared = await entry(ada, "given_name", "Ada II");
    assert.deepEqual(cleared.fields, { given_name: "Ada II" });
    assert.deepEqual(cleared.mappedFields, { comment: null, city: null });

    change(ada, { given_name: "Ada III", nickname: "A" });
    assert.equal((await entry(ada, "given_name", "Ada III")).fields["nickname"], "A");
    change(ada, { given_name: "Ada IV" });
    assert.deepEqual((await entry(ada, "given_name", "Ada IV")).fields, {
      given_name: "Ada IV",
      nickname: null,
    });
    assert.match(await readLogs("square"), /answers do not have: nik_name"/);
    assert.match(await readLogs("square"), /because no record of this read has them: [^"]*note/);
    change(ada, { given_name: "Ada V", note: "again" });
    await entry(ada, "given_name", "Ada V");
  });

  test("is asked once for a page of the whole list where nothing was read before the first change", async () => {
    const cy = square.vendor.records.put("customers", { fields: { given_name: "Cy", note: "old" } });
    await install("changes", { objectName: "customers" }, "square");
    change(cy, { given_name: "Cy II" });
    const read = (name: string) =>
      until(() =>
        arrived(cy).find(
          ({ fields, mappedFields }) => fields["given_name"] === name && !("city" in mappedFields),
        ),
      );
    // Ada has a note again, and does not change.
    assert.deepEqual((await read("Cy II")).mappedFields, { comment: null });
    const countWhole = () =>
      square.vendor.seen.filter(
        ({ action, boundMs, sizeText }) => action === "list" && boundMs === undefined && sizeText === "100",
      ).length;
    const before = countWhole();
    change(cy, { given_name: "Cy III" });
    assert.deepEqual((await read("Cy III")).mappedFields, { comment: null });
    assert.equal(countWhole(), before);
  });

  /** Answers the first requests for a page of the whole list so; the limits and errors are those of Square's file. */
  function refuseWhole(times: number, status: number, error: { category: string; code: string }) {
    const refused = { count: 0 };
    intercept = ({ url, body }, carryOut) => {
      const text = body.toString();
      const isWhole =
        url.startsWith("/v2/customers/search") &&
        text.includes(`"limit":100`) &&
        !text.includes("updated_at");
      if (!isWhole || refused.count >= times) return carryOut();
      refused.count += 1;
      const headers: Record<string, string> = status === 429 ? { "retry-after": "0" } : {};
      return { status, headers, body: { errors: [error] } };
    };
    return refused;
  }
  /** Installs an integration without a backfill, and changes a customer without a field that only an old one has. */
  async function changeWithout(
    field: string,
    integration: string,
    name: string,
  ): Promise<{ record: VendorRecord; entry: Entry }> {
    const old = square.vendor.records.put("customers", { fields: { given_name: "Al", [field]: "old" } });
    old.changedMs = nowMs() - 86_400_000;
    const record = square.vendor.records.put("customers", { fields: { given_name: name } });
    await install(integration, { objectName: "customers" }, "square");
    change(record, { given_name: `${name} II` });
    return { record, entry: await entryFor(integration, record, `${name} II`) };
  }
  const entryFor = (integration: string, record: VendorRecord, name: string): Promise<Entry> =>
    until(() => arrived(record, integration).find(({ fields }) => fields["given_name"] === name));

  test("waits and learns from the whole list later where the provider limits the rate of that request", async () => {
    const refused = refuseWhole(1, 429, { category: "RATE_LIMIT_ERROR", code: "RATE_LIMITED" });
    const { entry: first } = await changeWithout("company_name", "hurried", "Di");
    assert.deepEqual(first.mappedFields, { comment: null });
    assert.equal(refused.count, 1);
  });

  test("learns at a later read where the whole list was refused, and reads the changes meanwhile", async () => {
    const error = { category: "AUTHENTICATION_ERROR", code: "FORBIDDEN" };
    const refused = refuseWhole(Number.POSITIVE_INFINITY, 403, error);
    const { record, entry: first } = await changeWithout("reference_id", "barred", "Ed");
    assert.deepEqual(first.mappedFields, {});
    assert.ok(refused.count > 0);
    assert.match(await readLogs("barred"), /which fields records have could not be learned/i);

    refuseWhole(0, 403, error);
    change(record, { given_name: "Ed III" });
    assert.deepEqual((await entryFor("barred", record, "Ed III")).mappedFields, { comment: null });
  });

  test("asks for the whole list once in a read, also in one that goes on later", async () => {
    const error = { category: "AUTHENTICATION_ERROR", code: "FORBIDDEN" };
    refuseWhole(Number.POSITIVE_INFINITY, 403, error);
    const refuse = intercept;
    let isAway = true;
    // The second page is answered only after the read was put back. Other integrations read the same list meanwhile.
    intercept = (request, carryOut) => {
      const isSecond =
        request.rawHeaders.includes("Bearer t-long") && request.body.toString().includes('"cursor"');
      if (!isSecond || !isAway) return refuse(request, carryOut);
      isAway = false;
      const errors = [{ category: "API_ERROR", code: "SERVICE_UNAVAILABLE" }];
      return { status: 503, headers: {}, body: { errors } };
    };
    await install("long", { objectName: "customers" }, "square");
    for (let index = 0; index < 150; index += 1)
      change(square.vendor.records.put("customers", { fields: {} }), { given_name: `Fi ${index}` });
    const log = await until(async () =>
      (await readEachLog("long")).find((text) => text.includes("Waiting until") && text.includes("Ended:")),
    );
    assert.match(log, /Page 2:/);
    assert.equal(log.match(/could not be learned/g)?.length, 1);
  });

  // Kit's page about custom fields: "the key will change" when the label is updated.
  test("leaves out a custom field that the customer renamed from a change, and says so as a warning", async () => {
    const ada = kit.vendor.records.put("subscribers", {
      fields: { first_name: "Ada", fields: { city: "Oslo" } },
    });
    const bo = kit.vendor.records.put("subscribers", {
      fields: { first_name: "Bo", fields: { city: "Rome" } },
    });
    await install("kit", { objectName: "subscribers" });
    const find = (record: VendorRecord, name: string) =>
      until(() => arrived(record, "kit").find(({ fields }) => fields["first_name"] === name));
    assert.deepEqual((await find(ada, "Ada")).mappedFields, { town: "Oslo" });

    ada.fields = { first_name: "Ada", fields: { place: "Oslo" } };
    change(bo, { first_name: "Bo II", fields: { place: "Rome" } });
    assert.deepEqual((await find(bo, "Bo II")).mappedFields, {});
    await until(async () => /answers do not have: [^"]*city/.test(await readLogs("kit")));
    assert.doesNotMatch(await readLogs("kit"), /Null, because/);
  });

  test("leaves out a field that the account's list of fields no longer has", async () => {
    const { fields } = pipedriveFacts.objects["persons"] ?? {};
    assert.ok(fields);
    const { data } = fields.body as { data: object[] };
    const tier = { ...data[0], field_name: "Tier", field_code: "tier", is_custom_field: true };
    data.push(tier);
    const ada = pipedrive.vendor.records.put("persons", {
      fields: { name: "Ada", custom_fields: { tier: "gold" } },
    });
    const mapping = { selectedFieldMappings: { tier: "$['custom_fields']['tier']" } };
    await install("pipedrive", { objectName: "persons", ...mapping });
    assert.deepEqual((await entry(ada, "name", "Ada")).mappedFields, { tier: "gold" });

    change(ada, { name: "Ada II", custom_fields: {} });
    assert.deepEqual((await entry(ada, "name", "Ada II")).mappedFields, { tier: null });

    data.splice(data.indexOf(tier), 1);
    change(ada, { name: "Ada III", custom_fields: {} });
    assert.deepEqual((await entry(ada, "name", "Ada III")).mappedFields, {});
    assert.match(await readLogs("pipedrive"), /account has no field .*custom_fields.*tier.*left out/);
  });
});
