// Initial records of a HubSpot sandbox account. Their ids are fixed; the README lists them.

import type { Account } from "./account.ts";
import { buildCustomProperty } from "./property-definitions.ts";

const SEEDED_AT = Date.UTC(2026, 0, 5, 9, 0, 0);

const CONTACTS = [
  ["501", "ada.king@northwind.example", "Ada", "King", "Chief Engineer", "+1 555 0101", "customer"],
  ["502", "grace.moore@northwind.example", "Grace", "Moore", "Buyer", "+1 555 0102", "lead"],
  ["503", "linus.berg@fabrikam.example", "Linus", "Berg", "Maintainer", "+46 555 0103", "opportunity"],
  ["504", "mary.stone@contoso.example", "Mary", "Stone", "Accountant", "", "lead"],
  ["505", "", "Noel", "Nomail", "", "+1 555 0105", "subscriber"],
];
const COMPANIES = [
  ["601", "Northwind Traders", "northwind.example", "RETAIL", "Oslo", "250"],
  ["602", "Fabrikam Power", "fabrikam.example", "UTILITIES", "Malmö", "1200"],
  ["603", "Contoso Software", "contoso.example", "COMPUTER_SOFTWARE", "Austin", "80"],
];
const DEALS = [
  ["701", "Northwind renewal", "12000", "contractsent", "2026-03-31T00:00:00.000Z"],
  ["702", "Fabrikam rollout", "98000.5", "qualifiedtobuy", "2026-06-30T00:00:00.000Z"],
];

export function seedHubSpot(account: Account): void {
  for (const [
    id = "",
    email = "",
    firstname = "",
    lastname = "",
    jobtitle = "",
    phone = "",
    lifecyclestage = "",
  ] of CONTACTS) {
    insert(account, "contacts", id, { email, firstname, lastname, jobtitle, phone, lifecyclestage });
  }
  for (const [
    id = "",
    name = "",
    domain = "",
    industry = "",
    city = "",
    numberofemployees = "",
  ] of COMPANIES) {
    insert(account, "companies", id, { name, domain, industry, city, numberofemployees });
  }
  for (const [id = "", dealname = "", amount = "", dealstage = "", closedate = ""] of DEALS) {
    insert(account, "deals", id, { dealname, amount, dealstage, closedate, pipeline: "default" });
  }
  insert(account, "tickets", "801", {
    subject: "Invoice is wrong",
    hs_pipeline: "0",
    hs_pipeline_stage: "1",
    hs_ticket_priority: "HIGH",
  });
  insert(account, "leads", "901", {
    hs_lead_name: "Mary Stone",
    hs_lead_type: "NEW_BUSINESS",
    hs_lead_label: "WARM",
  });
  insert(account, "users", "411", {
    hs_email: "admin@sandbox.example",
    hs_given_name: "Ada",
    hs_family_name: "Admin",
    hubspot_owner_id: "410010",
  });
  seedMachines(account);
  link(account, "0-1", "501", "0-2", "601", 1);
  link(account, "0-1", "502", "0-2", "601", 279);
  link(account, "0-1", "503", "0-2", "602", 1);
  link(account, "0-3", "701", "0-2", "601", 341);
  link(account, "0-3", "702", "0-1", "503", 3);
  link(account, "0-136", "901", "0-1", "504", 578);
}

/** Adds a custom object, `2-4100001` or `machines`, with a unique serial number. */
function seedMachines(account: Account): void {
  const store = account.addCustomType("machines", ["serial_number"]);
  const now = new Date(SEEDED_AT).toISOString();
  const groupName = [...store.groups.keys()][0] ?? "";
  store.addProperty(
    buildCustomProperty(
      { name: "serial_number", label: "Serial number", hasUniqueValue: true, groupName },
      now,
    ),
  );
  store.addProperty(buildCustomProperty({ name: "model", label: "Model", groupName }, now));
  store.addProperty(
    buildCustomProperty(
      { name: "capacity_kw", label: "Capacity (kW)", type: "number", fieldType: "number", groupName },
      now,
    ),
  );
  insert(account, "machines", "1001", { serial_number: "SN-0001", model: "B-200", capacity_kw: "450" });
}

function insert(account: Account, typeName: string, id: string, values: Record<string, string>): void {
  const store = account.get(typeName);
  const at = new Date(SEEDED_AT).toISOString();
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  const { createdProperty, modifiedProperty } = store.type;
  const properties = {
    [createdProperty]: at,
    hs_object_id: id,
    [modifiedProperty]: at,
    hs_object_source: "CRM_UI",
    hs_object_source_label: "CRM_UI",
    ...given,
  };
  store.insert({
    key: Number(id),
    id,
    properties,
    createdAt: SEEDED_AT,
    updatedAt: SEEDED_AT,
    archived: false,
  });
}

function link(
  account: Account,
  fromType: string,
  fromId: string,
  toType: string,
  toId: string,
  typeId: number,
): void {
  account.associations.add(fromType, fromId, toType, toId, [{ category: "HUBSPOT_DEFINED", typeId }]);
}
