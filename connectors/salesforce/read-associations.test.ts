/** Salesforce's associations: parents, children, records between two objects, lists that go on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import type { ObjectMetadata } from "../../connector-kit/fields.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { read } from "./read.ts";

const ACCOUNT = "001Sb0000000001IAA";
const CONTACTS = ["003Sb0000000001IAA", "003Sb0000000002IAA", "003Sb0000000003IAA"];
const OPPORTUNITY = "006Sb0000000001IAA";
const LOCATOR = "/services/data/v60.0/query/0r8Sb00000Child-2";

const buildMetadata = (objectName: string, more: Partial<ObjectMetadata>): ObjectMetadata => ({
  name: objectName,
  displayName: objectName,
  fields: {},
  ...more,
});
const reference = (fieldName: string, target: string): ObjectMetadata["fields"] => ({
  [fieldName]: {
    fieldName,
    displayName: fieldName,
    valueType: "reference",
    providerType: "reference",
    readOnly: false,
    isCustom: false,
    isRequired: false,
    referenceTo: [target],
  },
});
const list = (records: JsonObject[], nextRecordsUrl?: string): JsonObject => ({
  totalSize: records.length + (nextRecordsUrl === undefined ? 0 : 1),
  done: nextRecordsUrl === undefined,
  ...(nextRecordsUrl !== undefined && { nextRecordsUrl }),
  records,
});
const page = (...records: JsonObject[]): Reply => ({ status: 200, body: list(records) });
const buildPlan = (objectName: string, metadata: ObjectMetadata, ...associations: string[]) => ({
  objectName,
  fields: [],
  filters: [],
  associations,
  metadata,
});
const readQuery = ({ path }: { path: string }): string =>
  new URL(path, "https://x.example").searchParams.get("q") ?? path;

test("children come by the name of the relation or of their object, and long lists before the next page", async () => {
  const children = [{ objectName: "Contact", fieldName: "AccountId", relationshipName: "Contacts" }];
  const metadata = buildMetadata("Account", { children });
  for (const name of ["contacts", "Contacts", "contact"]) {
    const [first = "", second = "", third = ""] = CONTACTS;
    const provider = replay(
      page({ Id: ACCOUNT, Contacts: list([{ Id: first }, { Id: second }], LOCATOR) }),
      page({ Id: third }),
    );
    const found = await read.readPage(buildPlan("Account", metadata, name), undefined, provider.fetch);
    assert.deepEqual(found.records[0]?.associations, {
      [name]: CONTACTS.map((Id) => ({ id: Id, raw: { Id } })),
    });
    assert.match(
      readQuery(provider.requests[0] ?? { path: "" }),
      /^SELECT Id,\(SELECT Id FROM Contacts ORDER BY Id\) FROM/,
    );
    assert.equal(provider.requests[1]?.path, LOCATOR);
  }
});

test("archived activities are associated like others; deleted children and records are not", async () => {
  const metadata = buildMetadata("Account", {
    fields: reference("IsDeleted", ""),
    children: [{ objectName: "Task", fieldName: "WhatId", relationshipName: "Tasks" }],
  });
  const withoutMetadata = { ...buildPlan("Account", metadata, "Tasks"), metadata: undefined };
  for (const plan of [buildPlan("Account", metadata, "task"), withoutMetadata]) {
    const provider = replay(page({ Id: ACCOUNT, Tasks: list([{ Id: "00TSb0000000001IAA" }]) }));
    await read.readPage(plan, undefined, provider.fetch);
    const [request = { path: "" }] = provider.requests;
    assert.match(request.path, /\/queryAll\?/);
    assert.match(
      readQuery(request),
      /^SELECT Id,.*\(SELECT Id FROM Tasks WHERE IsDeleted = false ORDER BY Id\) FROM Account WHERE IsDeleted = false ORDER BY Id$/,
    );
  }
});

/** `queryAll` also has deleted records, as children, too (SOAP API Developer Guide, `queryAll()`); users are deactivated, never deleted. */
test("beside archived activities, other children come without the deleted ones", async () => {
  const children = [
    { objectName: "Task", fieldName: "WhoId", relationshipName: "Tasks" },
    { objectName: "Case", fieldName: "ContactId", relationshipName: "Cases" },
    { objectName: "User", fieldName: "ContactId", relationshipName: "Users" },
  ];
  const metadata = buildMetadata("Contact", { fields: reference("IsDeleted", ""), children });
  const provider = replay(page());
  await read.readPage(buildPlan("Contact", metadata, "tasks", "cases", "users"), undefined, provider.fetch);
  assert.match(provider.requests[0]?.path ?? "", /\/queryAll\?/);
  assert.match(
    readQuery(provider.requests[0] ?? { path: "" }),
    /,\(SELECT Id FROM Tasks WHERE IsDeleted = false ORDER BY Id\),\(SELECT Id FROM Cases WHERE IsDeleted = false ORDER BY Id\),\(SELECT Id FROM Users ORDER BY Id\) FROM Contact WHERE/,
  );
  // Children of an activity, which `queryAll` reads in any case.
  const roles = [{ objectName: "TaskRelation", fieldName: "TaskId", relationshipName: "TaskRelations" }];
  const again = replay(page());
  const task = buildMetadata("Task", { fields: reference("IsDeleted", ""), children: roles });
  await read.readPage(buildPlan("Task", task, "TaskRelations"), undefined, again.fetch);
  assert.match(
    readQuery(again.requests[0] ?? { path: "" }),
    /\(SELECT Id FROM TaskRelations WHERE IsDeleted = false ORDER BY Id\) FROM Task WHERE/,
  );
});

/** Salesforce's message as roblesterjr04/EloquentSalesForce issue 74 cites it. */
const refuseMark = (objectName: string): Reply => ({
  status: 400,
  body: [
    {
      message:
        "\n(SELECT Id FROM PermissionSetAssignments WHERE IsDeleted = false ORDER\n ^\nERROR at Row:1:Column:80\n" +
        `No such column 'IsDeleted' on entity '${objectName}'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name.`,
      errorCode: "INVALID_FIELD",
    },
  ],
});

test("children without a mark of deletion come beside archived activities, those with one without the deleted ones", async () => {
  const children = [
    { objectName: "Task", fieldName: "OwnerId", relationshipName: "Tasks" },
    {
      objectName: "PermissionSetAssignment",
      fieldName: "AssigneeId",
      relationshipName: "PermissionSetAssignments",
    },
    { objectName: "GroupMember", fieldName: "UserOrGroupId", relationshipName: "GroupMembers" },
    { objectName: "Case", fieldName: "OwnerId", relationshipName: "Cases" },
  ];
  const plan = buildPlan(
    "User",
    buildMetadata("User", { children }),
    ...children.map(({ relationshipName }) => relationshipName),
  );
  const assigned = { Id: "0PaSb0000000001IAA" };
  const provider = replay(
    refuseMark("PermissionSetAssignment"),
    refuseMark("GroupMember"),
    page({ Id: "005Sb0000000001IAA", PermissionSetAssignments: list([assigned]) }),
  );
  const { records } = await read.readPage(plan, undefined, provider.fetch);
  assert.deepEqual(records[0]?.associations, {
    PermissionSetAssignments: [{ id: assigned.Id, raw: assigned }],
  });
  assert.match(
    readQuery(provider.requests[2] ?? { path: "" }),
    /\(SELECT Id FROM Tasks WHERE IsDeleted = false ORDER BY Id\),\(SELECT Id FROM PermissionSetAssignments ORDER BY Id\),\(SELECT Id FROM GroupMembers ORDER BY Id\),\(SELECT Id FROM Cases WHERE IsDeleted = false ORDER BY Id\) FROM User ORDER/,
  );
  // A refusal that another query does not mend is the answer.
  const refused = replay(refuseMark("Opportunity"));
  await assert.rejects(read.readPage(plan, undefined, refused.fetch), { kind: "invalid" });
  assert.equal(refused.requests.length, 1);
});

test("a parent comes by its object's name, and a record without one has no association", async () => {
  const metadata = buildMetadata("Opportunity", { fields: reference("AccountId", "Account"), children: [] });
  const provider = replay(
    page({ Id: OPPORTUNITY, AccountId: ACCOUNT }, { Id: "006Sb0000000002IAA", AccountId: null }),
  );
  const plan = buildPlan("Opportunity", metadata, "accounts");
  const { records } = await read.readPage(plan, undefined, provider.fetch);
  assert.deepEqual(
    records.map(({ associations }) => associations),
    [{ accounts: [{ id: ACCOUNT }] }, undefined],
  );
});

test("contacts of an opportunity come by their roles, with the role as it is", async () => {
  const [contact = ""] = CONTACTS;
  const role = { Id: "00KSb0000000001IAA", ContactId: contact };
  const provider = replay(page({ Id: OPPORTUNITY, OpportunityContactRoles: list([role]) }));
  const metadata = buildMetadata("Opportunity", { children: [] });
  const plan = buildPlan("Opportunity", metadata, "contacts");
  const { records } = await read.readPage(plan, undefined, provider.fetch);
  assert.deepEqual(records[0]?.associations, { contacts: [{ id: contact, raw: role }] });
});

/** Names of relations and fields: `ChildRelationships$Campaign` and `Fields$CampaignMember` of jsforce's schema of the WSDL (3.10, e744dad). */
test("contacts and leads of a campaign come by its members", async () => {
  const metadata = buildMetadata("Campaign", { children: [] });
  for (const [name, field, id] of [
    ["contacts", "ContactId", CONTACTS[0] ?? ""],
    ["leads", "LeadId", "00QSb0000000001IAA"],
  ] as const) {
    const member = { Id: "00vSb0000000001IAA", [field]: id };
    const provider = replay(page({ Id: "701Sb0000000001IAA", CampaignMembers: list([member]) }));
    const { records } = await read.readPage(buildPlan("Campaign", metadata, name), undefined, provider.fetch);
    assert.deepEqual(records[0]?.associations, { [name]: [{ id, raw: member }] });
    assert.match(
      readQuery(provider.requests[0] ?? { path: "" }),
      new RegExp(`\\(SELECT Id,${field} FROM CampaignMembers ORDER BY Id\\)`),
    );
  }
});

test("an object is named in the plural of its name, also where that ends in -ies", async () => {
  const metadata = buildMetadata("Contract", {
    fields: reference("OpportunityId", "Opportunity"),
    children: [],
  });
  const provider = replay(page({ Id: "800Sb0000000001IAA", OpportunityId: OPPORTUNITY }));
  const plan = buildPlan("Contract", metadata, "opportunities");
  const { records } = await read.readPage(plan, undefined, provider.fetch);
  assert.deepEqual(records[0]?.associations, { opportunities: [{ id: OPPORTUNITY }] });
});

test("a child without an id is a broken answer, and no child that is left out (every record of a query has its selected Id)", async () => {
  const plan = buildPlan("Account", buildMetadata("Account", {}), "Contacts");
  const provider = replay(page({ Id: ACCOUNT, Contacts: list([{ Name: "Ada" }]) }));
  await assert.rejects(read.readPage(plan, undefined, provider.fetch), {
    kind: "unreadable",
    message: /has no id/,
  });
});

test("a name without a relation is refused before anything is sent", async () => {
  const provider = replay(page());
  const plan = buildPlan("Account", buildMetadata("Account", { children: [] }), "quotes");
  await assert.rejects(read.readPage(plan, undefined, provider.fetch), { kind: "invalid", code: "quotes" });
  assert.equal(provider.requests.length, 0);
});

test("a list of children that is dropped or repeats does not end the scan for good, or without a reason", async () => {
  const plan = buildPlan("Account", buildMetadata("Account", {}), "Contacts");
  const broken = page({ Id: ACCOUNT, Contacts: list([{ Id: CONTACTS[0] ?? "" }], LOCATOR) });
  const gone: Reply = { status: 400, body: [{ errorCode: "INVALID_QUERY_LOCATOR", message: "no" }] };
  await assert.rejects(read.readPage(plan, undefined, replay(broken, gone).fetch), { kind: "unavailable" });
  const same: Reply = { status: 200, body: list([{ Id: CONTACTS[0] ?? "" }], LOCATOR) };
  await assert.rejects(read.readPage(plan, undefined, replay(broken, same).fetch), { kind: "unreadable" });
  const wrong = page({ Id: ACCOUNT, Contacts: [] });
  await assert.rejects(read.readPage(plan, undefined, replay(wrong).fetch), { kind: "unreadable" });
});
