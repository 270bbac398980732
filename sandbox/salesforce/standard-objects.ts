// Objects of every sandbox organisation. The custom fields listed here are visible from the start.

import {
  defineField,
  buildObjectDefinition,
  type Field,
  type ObjectDefinition,
  type Scalar,
} from "./fields.ts";
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

function defineAddress(prefix: string): Field[] {
  return [
    defineField(`${prefix}Street`, "textarea", { length: 255 }),
    defineField(`${prefix}City`, "string", { length: 40 }),
    defineField(`${prefix}State`, "string", { length: 80 }),
    defineField(`${prefix}PostalCode`, "string", { length: 20 }),
    defineField(`${prefix}Country`, "string", { length: 80 }),
    defineField(`${prefix}Address`, "address", { readOnly: true }),
  ];
}

function definePerson(): Field[] {
  return [
    defineField("LastName", "string", { length: 80, required: true }),
    defineField("FirstName", "string", { length: 40 }),
    defineField("Salutation", "picklist", { picklist: ["Mr.", "Ms.", "Mrs.", "Dr.", "Prof."] }),
    defineField("Name", "string", { length: 121, readOnly: true, required: true, defaultValue: "" }),
    defineField("Title", "string", { length: 128 }),
    defineField("Email", "email"),
    defineField("Phone", "phone"),
    defineField("MobilePhone", "phone"),
    defineField("LeadSource", "picklist", { picklist: SOURCES }),
    defineField("Description", "textarea"),
    defineField("HasOptedOutOfEmail", "boolean"),
    defineField("External_Id__c", "string", { length: 64, unique: true, externalId: true }),
  ];
}

/** Builds new definitions, because the Metadata API changes them. */
export function buildStandardObjects(): ObjectDefinition[] {
  return [
    defineAccount(),
    defineContact(),
    lead(),
    defineOpportunity(),
    ...defineActivities(),
    defineMachine(),
    ...defineAdministration(),
  ];
}

function defineAccount(): ObjectDefinition {
  return buildObjectDefinition("Account", "001", [
    defineField("Name", "string", { required: true }),
    defineField("Type", "picklist", {
      picklist: ["Prospect", "Customer - Direct", "Customer - Channel", "Partner", "Other"],
    }),
    defineField("ParentId", "reference", { to: "Account" }),
    defineField("AccountNumber", "string", { length: 40 }),
    defineField("Phone", "phone"),
    defineField("Website", "url"),
    defineField("Industry", "picklist", { picklist: INDUSTRIES }),
    defineField("AnnualRevenue", "currency", { scale: 0 }),
    defineField("NumberOfEmployees", "int"),
    defineField("Description", "textarea"),
    defineField("Rating", "picklist", { picklist: ["Hot", "Warm", "Cold"], restricted: true }),
    defineField("MasterRecordId", "reference", { to: "Account", readOnly: true }),
    ...defineAddress("Billing"),
    ...defineAddress("Shipping"),
    defineField("External_Id__c", "string", { length: 64, unique: true, externalId: true }),
    defineField("Regions__c", "multipicklist", {
      length: 4099,
      picklist: ["North", "South", "East", "West"],
      restricted: true,
    }),
    defineField("Active__c", "boolean"),
  ]);
}

function defineContact(): ObjectDefinition {
  return buildObjectDefinition("Contact", "003", [
    ...definePerson(),
    defineField("AccountId", "reference", { to: "Account" }),
    defineField("ReportsToId", "reference", { to: "Contact" }),
    defineField("MasterRecordId", "reference", { to: "Contact", readOnly: true }),
    defineField("Department", "string", { length: 80 }),
    defineField("Birthdate", "date"),
    defineField("Fax", "phone"),
    ...defineAddress("Mailing"),
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
    ...definePerson(),
    defineField("Company", "string", { required: true }),
    defineField("Status", "picklist", { picklist: status, required: true, defaultValue: status[0] ?? null }),
    defineField("Industry", "picklist", { picklist: INDUSTRIES }),
    defineField("Rating", "picklist", { picklist: ["Hot", "Warm", "Cold"] }),
    defineField("AnnualRevenue", "currency", { scale: 0 }),
    defineField("NumberOfEmployees", "int"),
    defineField("Website", "url"),
    defineField("IsConverted", "boolean", { readOnly: true }),
    defineField("MasterRecordId", "reference", { to: "Lead", readOnly: true }),
    ...defineAddress(""),
  ]);
}

function defineOpportunity(): ObjectDefinition {
  return buildObjectDefinition(
    "Opportunity",
    "006",
    [
      defineField("Name", "string", { length: 120, required: true }),
      defineField("AccountId", "reference", { to: "Account" }),
      defineField("StageName", "picklist", { picklist: STAGES, required: true }),
      defineField("CloseDate", "date", { required: true }),
      defineField("Amount", "currency"),
      defineField("Probability", "percent", { scale: 0 }),
      defineField("Type", "picklist", { picklist: ["New Customer", "Existing Customer - Upgrade"] }),
      defineField("LeadSource", "picklist", { picklist: SOURCES }),
      defineField("NextStep", "string"),
      defineField("Description", "textarea"),
      defineField("IsClosed", "boolean", { readOnly: true }),
      defineField("IsWon", "boolean", { readOnly: true }),
      defineField("External_Id__c", "string", { length: 64, unique: true, externalId: true }),
    ],
    "Opportunities",
  );
}

function defineActivities(): ObjectDefinition[] {
  return [
    buildObjectDefinition("OpportunityContactRole", "00K", [
      defineField("OpportunityId", "reference", { to: "Opportunity", required: true, createOnly: true }),
      defineField("ContactId", "reference", { to: "Contact", required: true }),
      defineField("Role", "picklist", {
        picklist: ["Decision Maker", "Economic Buyer", "Evaluator", "Other"],
      }),
      defineField("IsPrimary", "boolean"),
    ]),
    buildObjectDefinition(
      "AccountHistory",
      "017",
      [
        defineField("AccountId", "reference", { to: "Account", required: true, createOnly: true }),
        defineField("Field", "string", { length: 40 }),
        defineField("OldValue", "string"),
        defineField("NewValue", "string"),
      ],
      "Histories",
    ),
    buildObjectDefinition(
      "AccountShare",
      "00r",
      [
        defineField("AccountId", "reference", { to: "Account", required: true, createOnly: true }),
        defineField("AccountAccessLevel", "picklist", { picklist: ["Read", "Edit", "All"] }),
      ],
      "Shares",
    ),
    buildObjectDefinition("Case", "500", [
      defineField("Subject", "string"),
      defineField("Description", "textarea"),
      defineField("Status", "picklist", {
        picklist: ["New", "Working", "Escalated", "Closed"],
        defaultValue: "New",
      }),
      defineField("Priority", "picklist", { picklist: ["High", "Medium", "Low"], defaultValue: "Medium" }),
      defineField("Origin", "picklist", { picklist: ["Phone", "Email", "Web"] }),
      defineField("AccountId", "reference", { to: "Account" }),
      defineField("ContactId", "reference", { to: "Contact" }),
    ]),
    buildObjectDefinition("Task", "00T", [
      defineField("Subject", "string"),
      defineField("Status", "picklist", {
        picklist: ["Not Started", "In Progress", "Completed"],
        defaultValue: "Not Started",
      }),
      defineField("Priority", "picklist", { picklist: ["High", "Normal", "Low"], defaultValue: "Normal" }),
      defineField("ActivityDate", "date"),
      defineField("Description", "textarea"),
      defineField("WhoId", "reference", { to: "Contact" }),
      defineField("WhatId", "reference", { to: "Account" }),
    ]),
    buildObjectDefinition("Event", "00U", [
      defineField("Subject", "string"),
      defineField("StartDateTime", "datetime"),
      defineField("EndDateTime", "datetime"),
      defineField("DurationInMinutes", "int"),
      defineField("Description", "textarea"),
    ]),
    buildObjectDefinition("Campaign", "701", [
      defineField("Name", "string", { length: 80, required: true }),
      defineField("Status", "picklist", { picklist: ["Planned", "In Progress", "Completed"] }),
      defineField("StartDate", "date"),
      defineField("IsActive", "boolean"),
    ]),
  ];
}

function defineMachine(): ObjectDefinition {
  return buildObjectDefinition("Machine__c", "a0M", [
    defineField("Name", "string", { length: 80, required: true }),
    defineField("Serial_Number__c", "string", { length: 40, unique: true, externalId: true }),
    defineField("Capacity_KW__c", "double", { scale: 1 }),
    defineField("Installed_On__c", "date"),
    defineField("Account__c", "reference", { to: "Account" }),
    // Changes with the clock, but not the change time, like every formula.
    defineField("Age_In_Days__c", "double", { scale: 0, readOnly: true, formula: computeAgeInDays }),
  ]);
}

function computeAgeInDays(values: Record<string, Scalar>, now: number): number {
  return Math.floor((now - parseInstant(String(values["CreatedDate"]))) / 86_400_000);
}

function defineAdministration(): ObjectDefinition[] {
  return [
    buildObjectDefinition("User", "005", [
      defineField("Name", "string", { readOnly: true }),
      defineField("Username", "string", { readOnly: true }),
      defineField("Email", "email", { readOnly: true }),
      defineField("IsActive", "boolean", { readOnly: true }),
    ]),
    buildObjectDefinition("Organization", "00D", [defineField("Name", "string", { readOnly: true })]),
    buildObjectDefinition("PermissionSet", "0PS", [
      defineField("Name", "string", { length: 80, required: true, unique: true }),
      defineField("Label", "string", { length: 80, required: true }),
      defineField("Description", "string"),
      defineField("PermissionsViewAllData", "boolean"),
      defineField("PermissionsViewAllUsers", "boolean"),
    ]),
    buildObjectDefinition("PermissionSetAssignment", "0Pa", [
      defineField("AssigneeId", "reference", { to: "User", required: true, createOnly: true }),
      defineField("PermissionSetId", "reference", { to: "PermissionSet", required: true, createOnly: true }),
    ]),
    buildObjectDefinition(
      "FieldPermissions",
      "01k",
      [
        defineField("ParentId", "reference", { to: "PermissionSet", required: true, createOnly: true }),
        defineField("SobjectType", "string", { required: true, createOnly: true }),
        defineField("Field", "string", { required: true, createOnly: true }),
        defineField("PermissionsRead", "boolean"),
        defineField("PermissionsEdit", "boolean"),
      ],
      "FieldPermissions",
    ),
    buildObjectDefinition(
      "ObjectPermissions",
      "110",
      [
        defineField("ParentId", "reference", { to: "PermissionSet", required: true, createOnly: true }),
        defineField("SobjectType", "string", { required: true, createOnly: true }),
        defineField("PermissionsRead", "boolean"),
        defineField("PermissionsViewAllRecords", "boolean"),
      ],
      "ObjectPermissions",
    ),
  ];
}
