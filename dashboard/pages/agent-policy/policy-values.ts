/** The policy as the values of a form, and back: lists for what the API has as objects, texts for lists of names. */
import type { Schemas } from "../../api.gen.ts";

export type Policy = Schemas["AgentPolicy"];
export type Rule = Schemas["AgentRule"];
export type Decision = Rule["decision"];
export type Kind = keyof NonNullable<Policy["default"]>;
export type Budget = keyof NonNullable<Policy["budgets"]>;

export interface PolicyValues {
  rules: readonly Rule[];
  default: NonNullable<Policy["default"]>;
  /** Names of fields, separated by commas. */
  hidden: readonly { object: string; fields: string }[];
  budgets: NonNullable<Policy["budgets"]>;
  /** Addresses, one a line. */
  issuers: string;
  approvalMinutes: number | undefined;
  customersMayDecide: boolean;
}

export const toValues = (policy: Policy): PolicyValues => ({
  rules: policy.rules ?? [],
  default: policy.default ?? {},
  hidden: Object.entries(policy.hiddenFields ?? {}).map(([object, fields]) => ({
    object,
    fields: fields.join(", "),
  })),
  budgets: policy.budgets ?? {},
  issuers: (policy.authorizationServers ?? []).join("\n"),
  approvalMinutes: policy.approvalMinutes,
  customersMayDecide: policy.customersMayDecide ?? false,
});

/** Returns the policy as it is sent. Two rows about one object count together. */
export function toPolicy(values: PolicyValues): Policy {
  const hidden = new Map<string, readonly string[]>();
  for (const { object, fields } of values.hidden) {
    const names = splitNames(fields, ",");
    if (object.trim() !== "" || names.length > 0)
      hidden.set(object.trim(), [...(hidden.get(object.trim()) ?? []), ...names]);
  }
  return {
    rules: values.rules.map(({ tool, integration, object, decision }) => ({
      ...(tool && { tool }),
      ...(integration && { integration }),
      ...(object && { object }),
      decision,
    })),
    default: values.default,
    hiddenFields: Object.fromEntries(hidden),
    budgets: values.budgets,
    authorizationServers: splitNames(values.issuers, "\n"),
    ...(values.approvalMinutes !== undefined && { approvalMinutes: values.approvalMinutes }),
    customersMayDecide: values.customersMayDecide,
  };
}

const splitNames = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((name) => name.trim())
    .filter((name) => name !== "");
