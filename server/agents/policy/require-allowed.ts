/** Refuses calls that the project's policy does not allow. */
import { Problem } from "../../../ground/errors.ts";
import type { CustomerObject } from "../customer-objects.ts";
import { decide, decideByRule, type Act, type AgentPolicy, type Decision } from "./policy.ts";

type AskedAct = Pick<Act, "tool" | "kind">;
type Target = Pick<CustomerObject, "installed" | "name" | "objectName">;

/** Returns how the policy decides about a call on an object. */
export const decideOn = (policy: AgentPolicy, act: AskedAct, target: Target): Decision =>
  decide(policy, nameTarget(act, target));

/** The same by a rule alone, without the defaults; undefined if none fits. */
export const decideByRuleOn = (policy: AgentPolicy, act: AskedAct, target: Target): Decision | undefined =>
  decideByRule(policy, nameTarget(act, target));

const nameTarget = (act: AskedAct, { installed, name, objectName }: Target): Act => ({
  ...act,
  integration: installed.integration.name,
  object: [name, objectName],
});

/** Throws a 403 Problem unless the call is allowed. Nobody is asked about what only reads. */
export function requireAllowed(policy: AgentPolicy, act: AskedAct, target: Target): void {
  if (decideOn(policy, act, target) === "allow") return;
  throw refuseByPolicy(act.tool, target.name);
}

export const refuseByPolicy = (tool: string, object?: string): Problem =>
  new Problem("forbidden", {
    detail: `The project's policy for agents does not allow \`${tool}\`${object === undefined ? "" : ` with \`${object}\``}.`,
    remedy:
      "Do without it, or tell the person you work for that an administrator of the application would have to allow it.",
  });

/** Throws a 403 Problem while the builder has stopped all agents. */
export function requireRunning({ paused }: AgentPolicy): void {
  if (!paused) return;
  throw new Problem("forbidden", {
    detail: "All agents of this project are paused. Nothing was done.",
    remedy: "Stop here, and try again when the builder of the application has ended the pause.",
    retryable: true,
  });
}

/**
 * The API's answers cannot be searched for hidden fields. Where a project hides any, somebody has to allow `call_api` by a rule that
 * names it.
 */
export function isRuled({ hiddenFields, rules }: AgentPolicy, integration: string): boolean {
  if (Object.keys(hiddenFields).length === 0) return true;
  const fits = (wanted = "*") => wanted === "*" || wanted.toLowerCase() === integration.toLowerCase();
  return rules.some(
    (rule) => rule.tool === "call_api" && fits(rule.integration) && rule.decision !== "forbid",
  );
}
