/** Tests that a description is sound, and how its connector handles answers that the description does not mention. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withAccount } from "../../connector-kit/calls/with-account.ts";
import type { Connector } from "../../connector-kit/connector.ts";
import { checkDescription } from "../../connector-kit/declarative/check/check-description.ts";
import { buildPlans } from "../../connector-kit/declarative/object-plan.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { testConnector, type ConnectorSample } from "../../connector-kit/testing/connector-suite.ts";
import type { JsonObject } from "../../ground/json.ts";
import { buildId } from "../simulations/simulated-account.ts";
import { buildAccountValues } from "../simulations/simulated-exchange.ts";

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
