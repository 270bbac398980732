// Initial records of a Salesforce sandbox organisation. Their ids are fixed; the README lists them.

import { toRecordId, addChecksum } from "./ids.ts";
import type { Scalar } from "./fields.ts";
import { ORG_ID, toStamp, USER_ID, type Org } from "./org.ts";

const SEEDED_AT = toStamp(Date.UTC(2026, 0, 5, 9, 0, 0));

const SEEDED_PERMISSION_SET = addChecksum("0PSSb0000000001");
/** Permission set of the user's profile. */
const PROFILE_PERMISSION_SET = addChecksum("0PSSb0000000002");

type Values = Record<string, Scalar>;

export function seedSalesforce(org: Org): void {
  put(org, "Organization", ORG_ID, { Name: "Sandbox Industries" });
  put(org, "User", USER_ID, {
    Name: "Ada Admin",
    Username: "admin@sandbox.example",
    Email: "admin@sandbox.example",
    IsActive: true,
  });
  put(org, "PermissionSet", SEEDED_PERMISSION_SET, { Name: "SandboxStandard", Label: "Sandbox Standard" });
  put(org, "PermissionSet", PROFILE_PERMISSION_SET, {
    Name: "SandboxProfile",
    Label: "Sandbox Profile",
    PermissionsViewAllData: true,
    PermissionsViewAllUsers: true,
  });
  const assignment = { AssigneeId: USER_ID, PermissionSetId: PROFILE_PERMISSION_SET };
  put(org, "PermissionSetAssignment", addChecksum("0PaSb0000000001"), assignment);
  const account = (n: number): string => toRecordId("001", n);
  put(org, "Account", account(1), {
    Name: "Northwind Traders",
    Industry: "Retail",
    Website: "https://northwind.example",
    NumberOfEmployees: 250,
    BillingCity: "Oslo",
    External_Id__c: "A-1",
    Active__c: true,
  });
  put(org, "Account", account(2), {
    Name: "Fabrikam Power",
    Industry: "Energy",
    Website: "https://fabrikam.example",
    NumberOfEmployees: 1200,
    BillingCity: "Malmö",
    External_Id__c: "A-2",
    Active__c: true,
  });
  put(org, "Account", account(3), {
    Name: "Contoso Software",
    Industry: "Technology",
    Website: "https://contoso.example",
    NumberOfEmployees: 80,
    BillingCity: "Austin",
  });
  seedPeople(org, account);
  seedWork(org, account);
}

function seedPeople(org: Org, account: (n: number) => string): void {
  putContact(org, 1, "Ada", "King", {
    Email: "ada.king@northwind.example",
    Title: "Chief Engineer",
    AccountId: account(1),
    External_Id__c: "C-1",
  });
  putContact(org, 2, "Grace", "Moore", {
    Email: "grace.moore@northwind.example",
    Title: "Buyer",
    AccountId: account(1),
  });
  putContact(org, 3, "Linus", "Berg", {
    Email: "linus.berg@fabrikam.example",
    Title: "Maintainer",
    AccountId: account(2),
  });
  putContact(org, 4, "Mary", "Stone", { Email: "mary.stone@contoso.example", AccountId: account(3) });
  put(org, "Lead", toRecordId("00Q", 1), {
    FirstName: "Noel",
    LastName: "Winter",
    Name: "Noel Winter",
    Company: "Winter & Co",
    Email: "noel@winter.example",
    Status: "Open - Not Contacted",
  });
  put(org, "Lead", toRecordId("00Q", 2), {
    FirstName: "Ines",
    LastName: "Sol",
    Name: "Ines Sol",
    Company: "Sol Solar",
    Status: "Working - Contacted",
    Rating: "Hot",
  });
}

function seedWork(org: Org, account: (n: number) => string): void {
  put(org, "Opportunity", toRecordId("006", 1), {
    Name: "Northwind renewal",
    AccountId: account(1),
    StageName: "Proposal/Price Quote",
    CloseDate: "2026-03-31",
    Amount: 12_000,
    IsClosed: false,
    IsWon: false,
  });
  put(org, "Opportunity", toRecordId("006", 2), {
    Name: "Fabrikam rollout",
    AccountId: account(2),
    StageName: "Qualification",
    CloseDate: "2026-06-30",
    Amount: 98_000.5,
    IsClosed: false,
    IsWon: false,
  });
  put(org, "Case", toRecordId("500", 1), {
    Subject: "Invoice is wrong",
    Status: "New",
    Priority: "High",
    AccountId: account(1),
    ContactId: toRecordId("003", 1),
  });
  put(org, "Machine__c", toRecordId("a0M", 1), {
    Name: "Generator 1",
    Serial_Number__c: "SN-0001",
    Capacity_KW__c: 450,
    Account__c: account(2),
  });
}

function putContact(org: Org, n: number, FirstName: string, LastName: string, values: Values): void {
  put(org, "Contact", toRecordId("003", n), {
    FirstName,
    LastName,
    Name: `${FirstName} ${LastName}`,
    ...values,
  });
}

function put(org: Org, objectName: string, id: string, values: Values): void {
  const store = org.find(objectName);
  if (store === undefined) return;
  const all: Values = {};
  for (const field of store.definition.fields.values()) {
    if (field.defaultValue !== null && field.defaultValue !== "") all[field.name] = field.defaultValue;
  }
  const system = {
    Id: id,
    IsDeleted: false,
    CreatedDate: SEEDED_AT,
    CreatedById: USER_ID,
    LastModifiedDate: SEEDED_AT,
    LastModifiedById: USER_ID,
    SystemModstamp: SEEDED_AT,
  };
  const owner: Values = store.definition.fields.has("ownerid") ? { OwnerId: USER_ID } : {};
  store.put(id, { ...all, ...system, ...owner, ...values });
}
