/** Rules for `write.objects` of a configuration: settings of fields and default values. */
import { configObjectsOf, type AddIssue } from "../config-issue.ts";
import { has, mapOf, mapsOfMap, memberOf, pathOf, type LocatedValue } from "../located-value.ts";

const DEFAULT_KINDS = ["stringValue", "integerValue", "booleanValue"];

/** `canReadFirst`: whether the provider's record can be looked at before an update, which `ifEmpty` needs. */
export function checkWriteConfig(content: LocatedValue, canReadFirst: boolean, add: AddIssue): void {
  for (const object of configObjectsOf(content, "write")) {
    for (const setting of mapsOfMap(object, "selectedFieldSettings")) {
      checkDefault(setting, add);
      if (memberOf(setting, "writeOnUpdate") !== "ifEmpty" || canReadFirst) continue;
      const detail = "`ifEmpty` is supported for HubSpot and Salesforce only.";
      add(pathOf(setting, "writeOnUpdate"), detail, "Use `always` or `never`.", "ifEmpty");
    }
  }
}

function checkDefault(setting: LocatedValue, add: AddIssue): void {
  const value = mapOf(setting, "default");
  if (!value) return;
  const given = DEFAULT_KINDS.filter((kind) => has(value, kind));
  if (given.length === 1) return;
  const detail = given.length === 0 ? "The default has no value." : `The default has ${given.length} values.`;
  add(value.path, detail, `Give exactly one of ${DEFAULT_KINDS.map((kind) => `\`${kind}\``).join(", ")}.`);
}
