// Objects of every sandbox organisation. The custom fields listed here are visible from the start.

import { field, buildObjectDefinition, type Field, type ObjectDefinition, type Scalar } from "./fields.ts";
import { parseInstant } from "./instant.ts";

const INDUSTRIES = [
  "Agriculture",
  "Banking",
  "Consulting",
  "Electronics",
  "Energy",
  "Manufacturing",
  "Retail",
  "Technology",
];
const SOURCES = ["Web", "Phone Inquiry", "Partner Referral", "Purchased List", "Other"];
const STAGES = [
  "Prospecting",
  "Qualification",
  "Needs Analysis",
  "Proposal/Price Quote",
  "Closed Won",
  "Closed Lost",
];

function address(prefix: string): Field[] {
  return [
    field(`${prefix}Street`, "textarea", { length: 255 }),
    field(`${prefix}City`, "string", { length: 40 }),
    field(`${prefix}State`, "string", { length: 80 }),
    field(`${prefix}PostalCode`, "string", { length: 20 }),
    field(`${prefix}Country`, "string", { length: 80 }),
    field(`${prefix}Address`, "address", { readOnly: true }),
  ];
}

function person(): Field[] {
  return [
    field("LastName", "string", { length: 80, required: true }),
    field("FirstName", "string", { length: 40 }),
    field("Salutation", "picklist", { picklist: ["Mr.", "Ms.", "Mrs.", "Dr.", "Prof."] }),
    field("Name", "string", { length: 121, readOnly: true, required: true, defaultValue: "" }),
    field("Title", "string", { length: 128 }),
    field("Email", "email"),
    field("Phone", "phone"),
    field("MobilePhone", "phone"),
    field("LeadSource", "picklist", { picklist: SOURCES }),
    field("Description", "textarea"),
    field("HasOptedOutOfEmail", "boolean"),
    field("External_Id__c", "string", { length: 64, unique: true, externalId: true }),
  ];
}

/** Builds new definitions, because the Metadata API changes them. */
export function buildStandardObjects(): ObjectDefinition[] {
  return [account(), contact(), lead(), opportunity(), ...activities(), machine(), ...administration()];
}

function account(): ObjectDefinition {
  return buildObjectDefinition("Account", "001", [
    field("Name", "string", { required: true }),
    field("Type", "picklist", {
      picklist: ["Prospect", "Customer - Direct", "Customer - Channel", "Partner", "Other"],
    }),
    field("ParentId", "reference", { to: "Account" }),
    field("AccountNumber", "string", { length: 40 }),
    field("Phone", "phone"),
    field("Website", "url"),
    field("Industry", "picklist", { picklist: INDUSTRIES }),
    field("AnnualRevenue", "currency", { scale: 0 }),
    field("NumberOfEmployees", "int"),
    field("Description", "textarea"),
    field("Rating", "picklist", { picklist: ["Hot", "Warm", "Cold"], restricted: true }),
    field("MasterRecordId", "reference", { to: "Account", readOnly: true }),
    ...address("Billing"),
    ...address("Shipping"),
    field("External_Id__c", "string", { length: 64, unique: true, externalId: true }),
    field("Regions__c", "multipicklist", {
      length: 4099,
      picklist: ["North", "South", "East", "West"],
      restricted: true,
    }),
    field("Active__c", "boolean"),
  ]);
}

function contact(): ObjectDefinition {
  return buildObjectDefinition("Contact", "003", [
    ...person(),
    field("AccountId", "reference", { to: "Account" }),
    field("ReportsToId", "reference", { to: "Contact" }),
    field("MasterRecordId", "reference", { to: "Contact", readOnly: true }),
    field("Department", "string", { length: 80 }),
    field("Birthdate", "date"),
    field("Fax", "phone"),
    ...address("Mailing"),
  ]);
}

function lead(): ObjectDefinition {
  const status = [
    "Open - Not Contacted",
    "Working - Contacted",
    "Closed - Converted",
    "Closed - Not Converted",
  ];
  return buildObjectDefinition("Lead", "00Q", [
    ...person(),
    field("Company", "string", { required: true }),
    field("Status", "picklist", { picklist: status, required: true, defaultValue: status[0] ?? null }),
    field("Industry", "picklist", { picklist: INDUSTRIES }),
    field("Rating", "picklist", { picklist: ["Hot", "Warm", "Cold"] }),
    field("AnnualRevenue", "currency", { scale: 0 }),
    field("NumberOfEmployees", "int"),
    field("Website", "url"),
    field("IsConverted", "boolean", { readOnly: true }),
    field("MasterRecordId", "reference", { to: "Lead", readOnly: true }),
    ...address(""),
  ]);
}

function opportunity(): ObjectDefinition {
  return buildObjectDefinition(
    "Opportunity",
    "006",
    [
      field("Name", "string", { length: 120, required: true }),
      field("AccountId", "reference", { to: "Account" }),
      field("StageName", "picklist", { picklist: STAGES, required: true }),
      field("CloseDate", "date", { required: true }),
      field("Amount", "currency"),
      field("Probability", "percent", { scale: 0 }),
      field("Type", "picklist", { picklist: ["New Customer", "Existing Customer - Upgrade"] }),
      field("LeadSource", "picklist", { picklist: SOURCES }),
      field("NextStep", "string"),
      field("Description", "textarea"),
      field("IsClosed", "boolean", { readOnly: true }),
      field("IsWon", "boolean", { readOnly: true }),
      field("External_Id__c", "string", { length: 64, unique: true, externalId: true }),
    ],
    "Opportunities",
  );
}

function activities(): ObjectDefinition[] {
  return [
    buildObjectDefinition("OpportunityContactRole", "00K", [
      field("OpportunityId", "reference", { to: "Opportunity", required: true, createOnly: true }),
      field("ContactId", "reference", { to: "Contact", required: true }),
      field("Role", "picklist", { picklist: ["Decision Maker", "Economic Buyer", "Evaluator", "Other"] }),
      field("IsPrimary", "boolean"),
    ]),
    buildObjectDefinition(
      "AccountHistory",
      "017",
      [
        field("AccountId", "reference", { to: "Account", required: true, createOnly: true }),
        field("Field", "string", { length: 40 }),
        field("OldValue", "string"),
        field("NewValue", "string"),
      ],
      "Histories",
    ),
    buildObjectDefinition(
      "AccountShare",
      "00r",
      [
        field("AccountId", "reference", { to: "Account", required: true, createOnly: true }),
        field("AccountAccessLevel", "picklist", { picklist: ["Read", "Edit", "All"] }),
      ],
      "Shares",
    ),
    buildObjectDefinition("Case", "500", [
      field("Subject", "string"),
      field("Description", "textarea"),
      field("Status", "picklist", {
        picklist: ["New", "Working", "Escalated", "Closed"],
        defaultValue: "New",
      }),
      field("Priority", "picklist", { picklist: ["High", "Medium", "Low"], defaultValue: "Medium" }),
      field("Origin", "picklist", { picklist: ["Phone", "Email", "Web"] }),
      field("AccountId", "reference", { to: "Account" }),
      field("ContactId", "reference", { to: "Contact" }),
    ]),
    buildObjectDefinition("Task", "00T", [
      field("Subject", "string"),
      field("Status", "picklist", {
        picklist: ["Not Started", "In Progress", "Completed"],
        defaultValue: "Not Started",
      }),
      field("Priority", "picklist", { picklist: ["High", "Normal", "Low"], defaultValue: "Normal" }),
      field("ActivityDate", "date"),
      field("Description", "textarea"),
      field("WhoId", "reference", { to: "Contact" }),
      field("WhatId", "reference", { to: "Account" }),
    ]),
    buildObjectDefinition("Event", "00U", [
      field("Subject", "string"),
      field("StartDateTime", "datetime"),
      field("EndDateTime", "datetime"),
      field("DurationInMinutes", "int"),
      field("Description", "textarea"),
    ]),
    buildObjectDefinition("Campaign", "701", [
      field("Name", "string", { length: 80, required: true }),
      field("Status", "picklist", { picklist: ["Planned", "In Progress", "Completed"] }),
      field("StartDate", "date"),
      field("IsActive", "boolean"),
    ]),
  ];
}

function machine(): ObjectDefinition {
  return buildObjectDefinition("Machine__c", "a0M", [
    field("Name", "string", { length: 80, required: true }),
    field("Serial_Number__c", "string", { length: 40, unique: true, externalId: true }),
    field("Capacity_KW__c", "double", { scale: 1 }),
    field("Installed_On__c", "date"),
    field("Account__c", "reference", { to: "Account" }),
    // Changes with the clock, but not the change time, like every formula.
    field("Age_In_Days__c", "double", { scale: 0, readOnly: true, formula: ageInDays }),
  ]);
}

function ageInDays(values: Record<string, Scalar>, now: number): number {
  return Math.floor((now - parseInstant(String(values["CreatedDate"]))) / 86_400_000);
}

function administration(): ObjectDefinition[] {
  return [
    buildObjectDefinition("User", "005", [
      field("Name", "string", { readOnly: true }),
      field("Username", "string", { readOnly: true }),
      field("Email", "email", { readOnly: true }),
      field("IsActive", "boolean", { readOnly: true }),
    ]),
    buildObjectDefinition("Organization", "00D", [field("Name", "string", { readOnly: true })]),
    buildObjectDefinition("PermissionSet", "0PS", [
      field("Name", "string", { length: 80, required: true, unique: true }),
      field("Label", "string", { length: 80, required: true }),
      field("Description", "string"),
      field("PermissionsViewAllData", "boolean"),
      field("PermissionsViewAllUsers", "boolean"),
    ]),
    buildObjectDefinition("PermissionSetAssignment", "0Pa", [
      field("AssigneeId", "reference", { to: "User", required: true, createOnly: true }),
      field("PermissionSetId", "reference", { to: "PermissionSet", required: true, createOnly: true }),
    ]),
    buildObjectDefinition(
      "FieldPermissions",
      "01k",
      [
        field("ParentId", "reference", { to: "PermissionSet", required: true, createOnly: true }),
        field("SobjectType", "string", { required: true, createOnly: true }),
        field("Field", "string", { required: true, createOnly: true }),
        field("PermissionsRead", "boolean"),
        field("PermissionsEdit", "boolean"),
      ],
      "FieldPermissions",
    ),
    buildObjectDefinition(
      "ObjectPermissions",
      "110",
      [
        field("ParentId", "reference", { to: "PermissionSet", required: true, createOnly: true }),
        field("SobjectType", "string", { required: true, createOnly: true }),
        field("PermissionsRead", "boolean"),
        field("PermissionsViewAllRecords", "boolean"),
      ],
      "ObjectPermissions",
    ),
  ];
}
