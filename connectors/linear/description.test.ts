/** What Linear's records have where no fields are named: GraphQL answers with what is asked for alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { isJsonObject } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["linear"] ?? {};
assert.ok(read);

/** Members of the types of Linear's schema (linear/linear 8335e09, packages/sdk/src/schema.graphql) without which a record says little. */
const NEEDED = {
  issues: [
    "state{id name type}",
    "team{id}",
    "assignee{id}",
    "project{id}",
    "parent{id}",
    "dueDate",
    "completedAt",
  ],
  comments: ["issueId", "parentId", "user{id}", "createdAt"],
  projects: ["status{id name type}", "lead{id}", "startDate", "targetDate"],
  documents: ["project{id}", "createdAt"],
  issueLabels: ["team{id}", "parent{id}", "retiredAt"],
  users: ["displayName", "admin", "createdAt"],
};

test("a read that names no fields asks for what belongs to a record, its references too", () => {
  for (const [objectName, members] of Object.entries(NEEDED)) {
    const { body } = read.preparePage(planRead(objectName));
    assert.ok(isJsonObject(body));
    const [, selection = ""] = /nodes\{(.*)\} pageInfo/.exec(String(body["query"])) ?? [];
    for (const member of members)
      assert.ok(` ${selection} `.includes(` ${member} `), `${objectName}: ${member}`);
  }
});
