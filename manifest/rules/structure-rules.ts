/** Rules about the whole file and about the names and actions of each integration. */
import { describeValue } from "../check-shape.ts";
import type { Report } from "../finding.ts";
import { has, listMaps, readMember, joinPath, readText, type LocatedValue } from "../located-value.ts";

const ACTIONS = ["read", "write", "subscribe", "proxy"] as const;

export function checkStructure(manifest: LocatedValue, report: Report): void {
  if (readMember(manifest, "specVersion") !== "1.0.0") {
    const found = describeValue(readMember(manifest, "specVersion"));
    const message = `\`specVersion\` must be 1.0.0, not ${found}.`;
    report.error("spec-version", joinPath(manifest, "specVersion"), message, "Write specVersion: 1.0.0.");
  }
  const list = readMember(manifest, "integrations");
  if (!has(manifest, "integrations") || (Array.isArray(list) && list.length === 0)) {
    report.error(
      "integration-structure",
      joinPath(manifest, "integrations"),
      "The manifest defines no integration.",
      "List at least one below `integrations`.",
    );
  }
  const seen = new Map<string, number>();
  for (const integration of listMaps(manifest, "integrations")) {
    checkNames(integration, report);
    checkActions(integration, report);
    const name = readText(integration, "name");
    if (name === undefined) continue;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, Number(integration.path.at(-1)));
    else {
      const message = `The name "${name}" is taken by integrations[${first}] of this file.`;
      report.error(
        "duplicate-integration",
        joinPath(integration, "name"),
        message,
        "Give each integration its own name.",
      );
    }
  }
}

function checkNames(integration: LocatedValue, report: Report): void {
  requireText(integration, "name", report, "Names are letters, digits, - and _.");
  requireText(integration, "provider", report, "Name the provider as in the catalog, for example `hubspot`.");
  const name = readText(integration, "name");
  if (name !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    const message = `The integration name "${name.slice(0, 80)}" is ${
      name.length > 64 ? `${name.length} characters long` : "not allowed"
    }.`;
    const remedy = "Use at most 64 letters, digits, - and _; `displayName` takes any text.";
    report.error("integration-name", joinPath(integration, "name"), message, remedy);
  }
  const displayName = readText(integration, "displayName");
  if (displayName !== undefined && displayName.length > 100) {
    const message = `\`displayName\` has ${displayName.length} characters.`;
    report.error("display-name", joinPath(integration, "displayName"), message, "Use at most 100.");
  }
}

function checkActions(integration: LocatedValue, report: Report): void {
  if (!ACTIONS.some((action) => Object.hasOwn(integration.data, action))) {
    report.error(
      "integration-structure",
      integration.path,
      `The integration ${readName(integration)} has no action.`,
      "Add `read`, `write`, `subscribe` or `proxy`.",
    );
  }
  for (const action of ["read", "write", "subscribe"] as const) {
    if (!Object.hasOwn(integration.data, action)) continue;
    const block = readMember(integration, action) ?? {};
    // A block of the wrong type has a finding already.
    if (typeof block !== "object" || Array.isArray(block)) continue;
    const objects = block["objects"] ?? [];
    if (!Array.isArray(objects) || objects.length > 0) continue;
    const path = joinPath(integration, action, "objects");
    report.error(
      `${action}-objects`,
      path,
      `\`${action}\` lists no objects.`,
      `List them below \`${action}.objects\`.`,
    );
  }
  if (has(integration, "proxy")) {
    const proxy = readMember(integration, "proxy");
    if (typeof proxy !== "object" || proxy === null || Array.isArray(proxy) || "enabled" in proxy) return;
    const message = "`proxy` does not say `enabled`, so the proxy stays off.";
    report.warning(
      "proxy-enabled",
      joinPath(integration, "proxy"),
      message,
      "Write enabled: true below `proxy`.",
    );
  }
}

const readName = (integration: LocatedValue): string => {
  const name = readText(integration, "name");
  return name === undefined ? "here" : `"${name.slice(0, 64)}"`;
};

/** Reports a required text that is missing or empty. One of the wrong type has a finding already. */
export function requireText(place: LocatedValue, key: string, report: Report, remedy: string): void {
  if (has(place, key) && readMember(place, key) !== "") return;
  report.error("required-field", joinPath(place, key), `\`${key}\` is missing.`, remedy);
}

/** Reports every object that is listed twice for the same action. */
export function checkDuplicates(
  objects: readonly LocatedValue[],
  rule: "duplicate-read-object" | "duplicate-write-object" | "duplicate-subscribe-object",
  report: Report,
): void {
  const seen = new Map<string, number>();
  for (const object of objects) {
    const name = readText(object, "objectName");
    if (name === undefined) continue;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, Number(object.path.at(-1)));
    else {
      const message = `The object "${name}" is already listed as objects[${first}].`;
      report.error(rule, joinPath(object, "objectName"), message, "Keep one entry for each object.");
    }
  }
}
