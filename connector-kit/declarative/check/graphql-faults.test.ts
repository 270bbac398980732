/** Fields become part of a document: a text that is no name could ask for anything else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findGraphqlFaults } from "./graphql-faults.ts";

const endpoint = { path: "/", id: "ID!", payload: "success", most: 50 };

test("a field of GraphQL is a name, or names in brackets, and nothing that ends its place in the document", () => {
  const listFaults = (field: string) =>
    findGraphqlFaults(
      {
        graphql: endpoint,
        defaults: {},
        objects: {},
        errors: { message: [] },
        sources: { documentation: "", checked: "" },
      },
      { list: "issues", get: "issue", fields: [field] },
      "objects.issues.graphql",
    ).map(({ path }) => path);
  for (const field of ["title", "$['team']['id']"]) assert.deepEqual(listFaults(field), [], field);
  for (const field of ["title}", "team{id}", "$['team']['id} x{y']"])
    assert.deepEqual(listFaults(field), ["objects.issues.graphql.fields[0]"], field);
});
