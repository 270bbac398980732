/** Rules about the whole file and about the names and actions of each integration. */
import { describeValue } from "../check-shape.ts";
import type { Report } from "../finding.ts";
import { has, mapsOf, memberOf, pathOf, textOf, type LocatedValue } from "../located-value.ts";

const ACTIONS = ["read", "write", "subscribe", "proxy"] as const;

export function checkStructure(manifest: LocatedValue, report: Report): void {
  if (memberOf(manifest, "specVersion") !== "1.0.0") {
    const found = describeValue(memberOf(manifest, "specVersion"));
    const message = `\`specVersion\` must be 1.0.0, not ${found}.`;
    report.error("spec-version", pathOf(manifest, "specVersion"), message, "Write specVersion: 1.0.0.");
  }
  const list = memberOf(manifest, "integrations");
  if (!has(manifest, "integrations") || (Array.isArray(list) && list.length === 0)) {
    report.error(
      "integration-structure",
      pathOf(manifest, "integrations"),
      "The manifest defines no integration.",
      "List at least one below `integrations`.",
    );
  }
  const seen = new Map<string, number>();
  for (const integration of mapsOf(manifest, "integrations")) {
    checkNames(integration, report);
    checkActions(integration, report);
    const name = textOf(integration, "name");
    if (name === undefined) continue;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, Number(integration.path.at(-1)));
    else {
      const message = `The name "${name}" is taken by integrations[${first}] of this file.`;
      report.error(
        "duplicate-integration",
        pathOf(integration, "name"),
        message,
        "Give each integration its own name.",
      );
    }
  }
}

function checkNames(integration: LocatedValue, report: Report): void {
  requireText(integration, "name", report, "Names are letters, digits, - and _.");
  requireText(integration, "provider", report, "Name the provider as in the catalog, for example `hubspot`.");
  const name = textOf(integration, "name");
  if (name !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    const message = `The integration name "${name.slice(0, 80)}" is ${
      name.length > 64 ? `${name.length} characters long` : "not allowed"
    }.`;
    const remedy = "Use at most 64 letters, digits, - and _; `displayName` takes any text.";
    report.error("integration-name", pathOf(integration, "name"), message, remedy);
  }
  const displayName = textOf(integration, "displayName");
  if (displayName !== undefined && displayName.length > 100) {
    const message = `\`displayName\` has ${displayName.length} characters.`;
    report.error("display-name", pathOf(integration, "displayName"), message, "Use at most 100.");
  }
}

function checkActions(integration: LocatedValue, report: Report): void {
  if (!ACTIONS.some((action) => Object.hasOwn(integration.data, action))) {
    report.error(
      "integration-structure",
      integration.path,
      `The integration ${nameOf(integration)} has no action.`,
      "Add `read`, `write`, `subscribe` or `proxy`.",
    );
  }
  for (const action of ["read", "write", "subscribe"] as const) {
    if (!Object.hasOwn(integration.data, action)) continue;
    const block = memberOf(integration, action) ?? {};
    // A block of the wrong type has a finding already.
    if (typeof block !== "object" || Array.isArray(block)) continue;
    const objects = block["objects"] ?? [];
    if (!Array.isArray(objects) || objects.length > 0) continue;
    const path = pathOf(integration, action, "objects");
    report.error(
      `${action}-objects`,
      path,
      `\`${action}\` lists no objects.`,
      `List them below \`${action}.objects\`.`,
    );
  }
  if (has(integration, "proxy")) {
    const proxy = memberOf(integration, "proxy");
    if (typeof proxy !== "object" || proxy === null || Array.isArray(proxy) || "enabled" in proxy) return;
    const message = "`proxy` does not say `enabled`, so the proxy stays off.";
    report.warning(
      "proxy-enabled",
      pathOf(integration, "proxy"),
      message,
      "Write enabled: true below `proxy`.",
    );
  }
}

const nameOf = (integration: LocatedValue): string => {
  const name = textOf(integration, "name");
  return name === undefined ? "here" : `"${name.slice(0, 64)}"`;
};

/** Reports a required text that is missing or empty. One of the wrong type has a finding already. */
export function requireText(place: LocatedValue, key: string, report: Report, remedy: string): void {
  if (has(place, key) && memberOf(place, key) !== "") return;
  report.error("required-field", pathOf(place, key), `\`${key}\` is missing.`, remedy);
}

/** Reports every object that is listed twice for the same action. */
export function checkDuplicates(
  objects: readonly LocatedValue[],
  rule: "duplicate-read-object" | "duplicate-write-object" | "duplicate-subscribe-object",
  report: Report,
): void {
  const seen = new Map<string, number>();
  for (const object of objects) {
    const name = textOf(object, "objectName");
    if (name === undefined) continue;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, Number(object.path.at(-1)));
    else {
      const message = `The object "${name}" is already listed as objects[${first}].`;
      report.error(rule, pathOf(object, "objectName"), message, "Keep one entry for each object.");
    }
  }
}
