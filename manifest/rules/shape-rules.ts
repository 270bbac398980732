/** Rules that follow from the schema alone: unknown keys, wrong types, values that are not allowed. */
import type { Json } from "../../ground/json.ts";
import { checkShape, describeValue, type ShapeFault } from "../check-shape.ts";
import { suggestName } from "../../ground/closest.ts";
import { formatPath, type Path, type Report, type Rule } from "../finding.ts";
import { ManifestSchema } from "../manifest.ts";

export function checkManifestShape(data: Json, report: Report): void {
  for (const fault of checkShape(ManifestSchema, data)) addFinding(fault, report);
}

function addFinding(fault: ShapeFault, report: Report): void {
  const { path } = fault;
  // Required members are checked by the rules of each block.
  if (fault.kind === "missing") return;
  const name = `\`${String(path.at(-1) ?? "the file")}\``;
  if (fault.kind === "unknown-key") {
    const known = `It is ignored; known here are ${fault.known.map((key) => `\`${key}\``).join(", ")}.`;
    report.warning(
      "unknown-key",
      path,
      `The key ${name} is not known here.`,
      () => suggestName(fault.key, fault.known, known),
      "key",
    );
  } else if (fault.kind === "wrong-type") {
    // `spec-version` has a rule of its own, whatever the type.
    if (formatPath(path) === "$.specVersion") return;
    const subject = typeof path.at(-1) === "number" ? "This entry" : path.length === 0 ? "The file" : name;
    const message = `${subject} must be ${fault.expected}, but it is ${describeValue(fault.value)}.`;
    report.error("wrong-type", path, message, fault.remedy);
  } else {
    const allowed = fault.allowed.map((text) => `\`${text}\``).join(" or ");
    const remedy = fault.value === false ? "Leave it out to switch it off." : `Write ${allowed}.`;
    report.error(
      chooseEnumRule(path),
      path,
      `${name} must be ${allowed}, not ${describeValue(fault.value)}.`,
      remedy,
    );
  }
}

function chooseEnumRule(path: Path): Rule {
  const parent = String(path.at(-2));
  if (path.at(-1) === "watchFieldsAuto") return "update-event-watch-fields";
  if (path.at(-1) === "mode") return "delivery-mode";
  if (path.at(-1) === "enabled") return parent.endsWith("Event") ? "update-event-enabled" : "allowed-value";
  return "allowed-value";
}
