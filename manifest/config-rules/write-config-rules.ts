/** Rules for `write.objects` of a configuration: settings of fields and default values. */
import type { Features } from "../../connector-kit/provider-support.ts";
import { listConfigObjects, type AddIssue } from "../config-issue.ts";
import type { ManifestIntegration } from "../manifest.ts";
import { has, readMap, listMemberMaps, readMember, joinPath, type LocatedValue } from "../located-value.ts";

const DEFAULT_KINDS = ["stringValue", "integerValue", "booleanValue"];

export function checkWriteConfig(
  content: LocatedValue,
  { provider }: ManifestIntegration,
  features: Features,
  add: AddIssue,
): void {
  for (const object of listConfigObjects(content, "write")) {
    for (const setting of listMemberMaps(object, "selectedFieldSettings")) {
      checkDefault(setting, add);
      if (readMember(setting, "writeOnUpdate") !== "ifEmpty" || features.ifEmpty === true) continue;
      const detail = `\`ifEmpty\` is not supported for ${provider}.`;
      add(joinPath(setting, "writeOnUpdate"), detail, "Use `always` or `never`.", "ifEmpty");
    }
  }
}

function checkDefault(setting: LocatedValue, add: AddIssue): void {
  const value = readMap(setting, "default");
  if (!value) return;
  const given = DEFAULT_KINDS.filter((kind) => has(value, kind));
  if (given.length === 1) return;
  const detail = given.length === 0 ? "The default has no value." : `The default has ${given.length} values.`;
  add(value.path, detail, `Give exactly one of ${DEFAULT_KINDS.map((kind) => `\`${kind}\``).join(", ")}.`);
}
