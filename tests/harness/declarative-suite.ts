/** Tests that a description is sound, and how its connector handles answers that the description does not mention. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Account } from "../../connector-kit/calls/provider-fetch.ts";
import { withAccount } from "../../connector-kit/calls/with-account.ts";
import type { Connector } from "../../connector-kit/connector.ts";
import { checkDescription } from "../../connector-kit/declarative/check/check-description.ts";
import { buildPlans, type ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { testConnector, type ConnectorSample } from "../../connector-kit/testing/connector-suite.ts";
import type { JsonObject } from "../../ground/json.ts";

/** Tests a description and its connector with any answers; `share` names which of them. */
export function testAnswers(
  provider: string,
  description: Description,
  bare: Connector,
  share?: ConnectorSample["share"],
): void {
  const account = buildAccountValues(description);
  const plans = buildPlans(description, account);
  const writable = plans.filter(({ modes }) =>
    (["read", "create", "update"] as const).every((mode) => modes.includes(mode)),
  );
  // Some providers do not allow records to be deleted or changed.
  const full =
    writable.find(({ modes }) => modes.includes("delete")) ??
    writable[0] ??
    plans.find(({ modes }) => modes.includes("read") && modes.includes("create")) ??
    plans.find(({ modes }) => modes.includes("create"));
  test(`the description of ${provider} is sound`, () => {
    assert.deepEqual(checkDescription(description).faults, []);
    assert.ok(full, "one object can be created");
  });
  if (!full) return;
  testConnector(provider, withAccount(bare, account), {
    objectName: full.name,
    fields: (full.example ?? {}) as JsonObject,
    ids: [1, 22, 333].map((number) => buildId(description, number, full)),
    ...(!full.modes.includes("delete") && { deletes: false as const }),
    ...(!full.modes.includes("update") && { updates: false as const }),
    ...(description.errors.refusedBy === "errors" && { errorsRefuse: true as const }),
    ...(description.errors.okWhen !== undefined && { okWhen: description.errors.okWhen }),
    ...(share && { share }),
  });
}

/** Builds the values of a connection to a simulated account, one for each placeholder. Each has a character that is encoded in paths. */
function buildAccountValues(description: Description): Account {
  const names = JSON.stringify(description).matchAll(/\{connection\.(\w+)\}/g);
  return { values: Object.fromEntries(Array.from(names, ([, name = ""]) => [name, `own ${name}`])) };
}

/** Builds an id of the form in the description; objects may have forms of their own. */
function buildId(
  { ids: usual }: Pick<Description, "ids">,
  number: number,
  own?: Pick<ObjectPlan, "idPattern">,
): string {
  const ids = own?.idPattern === undefined ? usual : { ...usual, pattern: own.idPattern };
  const pattern = new RegExp(`^(?:${ids?.pattern ?? (ids?.number ? "[0-9]+" : ".*")})$`);
  const forms = [
    `rec_${number}`,
    `rec${number}`,
    `rec${String(number).padStart(14, "0")}`,
    String(number),
    (ids?.pattern ?? "").replace("[A-Za-z]+", "Thing").replace("[0-9]+", String(number)),
    String(number).padStart(32, "0"),
    `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  ];
  return forms.find((form) => pattern.test(form)) ?? String(number);
}
