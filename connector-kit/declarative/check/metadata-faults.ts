/** Faults of the part of a description that tells the fields of an object. */
import type { ProviderFault } from "../../provider/check-provider.ts";
import { fault, pathFault } from "./member-faults.ts";
import { pagingFaults } from "./paging-faults.ts";
import type { FieldListRules, FlagRules, MetadataRules } from "../rules/metadata-rules.ts";

export function metadataFaults({ fields, list }: MetadataRules, path: string): ProviderFault[] {
  return [
    ...(!list && Object.keys(fields ?? {}).length === 0
      ? fault(path, "needs fields or list: otherwise the object would have no field")
      : []),
    ...(list ? fieldListFaults(list, `${path}.list`) : []),
  ];
}

function fieldListFaults(list: FieldListRules, path: string): ProviderFault[] {
  const flags: [string, FlagRules | undefined][] = [
    ...(list.skip ?? []).map((flag, index): [string, FlagRules] => [`skip[${index}]`, flag]),
    ["custom", list.custom],
    ["readOnly", list.readOnly],
    ["required", list.required],
  ];
  return [
    ...fault(`${path}.path`, pathFault(list.path, ["path", "singular"])),
    ...(list.paging ? pagingFaults(list.paging, `${path}.paging`) : []),
    ...(list.name === "" ? fault(`${path}.name`, "must be a path") : []),
    ...(Object.keys(list.types).length === 0 ? fault(`${path}.types`, "has no type") : []),
    ...flags.flatMap(([member, flag]) => (flag ? fault(`${path}.${member}`, flagFault(flag)) : [])),
  ];
}

function flagFault({ paths, is, isNot }: FlagRules): string | undefined {
  if (paths.length === 0) return "needs paths";
  const values = is ?? isNot ?? [];
  return values.length > 0 && !(is && isNot) ? undefined : "needs values in one of is and isNot";
}
