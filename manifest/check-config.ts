/** Checks an installation's configuration against its integration and returns all issues at once. */
import type { Features } from "../connector-kit/provider-support.ts";
import type { Issue } from "../ground/errors.ts";
import { isJsonObject } from "../ground/json.ts";
import { checkShape, describeValue, type ShapeFault } from "./check-shape.ts";
import { suggestName } from "../ground/closest.ts";
import { listConfigObjects, createAddIssue, type AddIssue } from "./config-issue.ts";
import { checkReadConfig } from "./config-rules/read-config-rules.ts";
import { checkSubscribeConfig } from "./config-rules/subscribe-config-rules.ts";
import { checkWriteConfig } from "./config-rules/write-config-rules.ts";
import { ConfigInputSchema } from "./installation-config.ts";
import type { ManifestIntegration } from "./manifest.ts";
import { readMember, joinPath, type LocatedValue } from "./located-value.ts";
import { MINIMUM_INTERVAL_MINUTES } from "./schedule.ts";

const ACTIONS = ["read", "write", "subscribe"] as const;

/**
 * Lists the issues of `content`, which may be anything: the body of a create or an update, or the result of a patch.
 * Unknown members are allowed. `completeConfig` accepts any content without issues.
 */
export function checkConfig(
  content: unknown,
  integration: ManifestIntegration,
  features: Features,
  minimumScheduleMinutes: number = MINIMUM_INTERVAL_MINUTES,
): Issue[] {
  const issues: Issue[] = [];
  const add = createAddIssue(issues);
  if (!isJsonObject(content)) {
    add([], "The configuration must be an object.", "Send an object with `read`, `write` or other members.");
    return issues;
  }
  for (const fault of checkShape(ConfigInputSchema, content)) addShapeIssue(fault, add);
  const place: LocatedValue = { path: [], data: content };
  checkProvider(place, integration, add);
  for (const action of ACTIONS) checkObjects(place, action, integration, add);
  checkReadConfig(place, integration, { minimumScheduleMinutes, features }, add);
  checkWriteConfig(place, integration, features, add);
  checkSubscribeConfig(place, integration, features, add);
  return issues;
}

function addShapeIssue(fault: ShapeFault, add: AddIssue): void {
  if (fault.kind === "unknown-key") return;
  if (fault.kind === "missing") return add(fault.path, `\`${fault.key}\` is missing.`, "Add it.");
  const expected =
    fault.kind === "wrong-type" ? fault.expected : fault.allowed.map((text) => `"${text}"`).join(" or ");
  const detail = `It must be ${expected}, but it is ${describeValue(fault.value)}.`;
  add(fault.path, detail, `Send ${expected}, or leave it out.`, fault.value);
}

function checkProvider(content: LocatedValue, integration: ManifestIntegration, add: AddIssue): void {
  const provider = readMember(content, "provider");
  if (typeof provider !== "string" || provider === integration.provider) return;
  const detail = `The configuration is for "${provider}", but the integration is for "${integration.provider}".`;
  add(joinPath(content, "provider"), detail, `Send "${integration.provider}", or leave it out.`, provider);
}

function checkObjects(
  content: LocatedValue,
  action: (typeof ACTIONS)[number],
  integration: ManifestIntegration,
  add: AddIssue,
): void {
  const declared = (integration[action]?.objects ?? []).map(({ objectName }) => objectName);
  const names = new Set(declared);
  const seen = new Set<string>();
  for (const object of listConfigObjects(content, action)) {
    if (!names.has(object.name)) {
      const otherwise =
        declared.length > 0
          ? `The manifest lists ${declared.slice(0, 10).join(", ")}${declared.length > 10 ? ", …" : ""}.`
          : `The manifest has no \`${action}\` objects.`;
      const detail = `"${object.name}" is not an object of \`${action}\` in the manifest.`;
      add(object.path, detail, suggestName(object.name, declared, otherwise), object.name);
    } else if (seen.has(object.name)) {
      add(object.path, `"${object.name}" is configured more than once.`, "Keep one entry.", object.name);
    }
    seen.add(object.name);
  }
}
