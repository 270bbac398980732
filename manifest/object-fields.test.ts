/** Guards the translation of a builder's names into those of the customer's provider. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ManifestIntegration } from "./manifest.ts";
import { listFieldMappings, findDeclaredWriteObject, inheritsMapping } from "./object-fields.ts";

const integration: ManifestIntegration = {
  name: "sync",
  provider: "acme",
  read: {
    objects: [
      {
        objectName: "account",
        mapToName: "company",
        requiredFields: [
          { fieldName: "billingcity", mapToName: "city" },
          { mapToName: "country" },
          { fieldName: "name" },
        ],
        optionalFields: [{ mapToName: "tier", default: "rank" }],
      },
      { objectName: "contact", mapToName: "person" },
    ],
  },
  write: {
    objects: [
      { objectName: "account", inheritMapping: true },
      { objectName: "contact" },
      { objectName: "task" },
    ],
  },
};

test("an object is written under its own name, and under its mapped name when it inherits the mapping", () => {
  assert.equal(findDeclaredWriteObject(integration, "account")?.objectName, "account");
  assert.equal(findDeclaredWriteObject(integration, "company")?.objectName, "account");
  assert.equal(findDeclaredWriteObject(integration, "task")?.objectName, "task");
  assert.equal(findDeclaredWriteObject(integration, "person"), undefined);
  assert.equal(findDeclaredWriteObject(integration, "Account"), undefined);
  assert.equal(findDeclaredWriteObject({ name: "a", provider: "b" }, "account"), undefined);
});

test("the installation may switch inheritance on as well", () => {
  const config = { write: { objects: { contact: { inheritMapping: true } } } };
  assert.equal(findDeclaredWriteObject(integration, "person", config)?.objectName, "contact");
  assert.equal(inheritsMapping({ objectName: "contact" }, config), true);
  assert.equal(inheritsMapping({ objectName: "contact" }), false);
});

test("mapped names lead to the customer's field, else to the manifest's, else nowhere", () => {
  const config = {
    read: {
      objects: {
        account: {
          selectedFieldMappings: { country: "$['address']['country']", stage: "phase", tier: "" },
          dynamicMappingsInput: [{ mapToName: "stage" }, { mapToName: "owner", fieldName: "owner_id" }],
        },
      },
    },
  };
  for (const name of ["account", "company"]) {
    assert.deepEqual(
      [...listFieldMappings(integration, config, name).mappedToProvider],
      [
        ["city", "billingcity"],
        ["country", "$['address']['country']"],
        ["tier", undefined],
        ["stage", "phase"],
        ["owner", "owner_id"],
      ],
    );
  }
  const chosen = {
    read: { objects: { x: { objectName: "account", selectedFieldMappings: { city: "shippingcity" } } } },
  };
  assert.equal(
    listFieldMappings(integration, chosen, "account").mappedToProvider.get("city"),
    "shippingcity",
  );
});

test("values are found under the mapped and under the provider's name of the field", () => {
  const config = {
    read: {
      objects: {
        account: {
          selectedFieldMappings: { country: "land" },
          selectedValueMappings: { country: { germany: "DE", none: "" }, billingcity: { muc: "Munich" } },
        },
      },
    },
  };
  const { valueMappings } = listFieldMappings(integration, config, "account");
  for (const name of ["country", "land"])
    assert.deepEqual(valueMappings.get(name), new Map([["germany", "DE"]]));
  for (const name of ["city", "billingcity"])
    assert.deepEqual(valueMappings.get(name), new Map([["muc", "Munich"]]));
});

test("an object that is not read has no mappings", () => {
  const { mappedToProvider, valueMappings } = listFieldMappings(integration, undefined, "task");
  assert.equal(mappedToProvider.size + valueMappings.size, 0);
});
