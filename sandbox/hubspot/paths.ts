// HubSpot's paths of one endpoint: numbered (/crm/v3/objects) and dated (/crm/objects/2026-03).

const DATED = /^\d{4}-\d{2}$/;

/** Translates dated paths and older spellings to the endpoints of v3 objects and v4 associations. */
export function toCanonicalPath(path: string): string {
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  const [, area = "", kind = "", version = "", ...rest] = trimmed.split("/");
  if (area === "account-info" && DATED.test(kind)) return ["", area, "dated", version, ...rest].join("/");
  if (area === "crm-object-schemas") return ["", "crm", "v3", version, ...rest].join("/");
  if (area !== "crm" || !DATED.test(version)) return trimmed;
  const associations = kind === "associations" || (kind === "objects" && rest[2] === "associations");
  return ["", "crm", associations ? "v4" : "v3", kind, ...rest].join("/");
}

const AREAS = "(objects|properties|pipelines|lists|owners)(?=[/?]|$)";
const NUMBERED = new RegExp(String.raw`/crm/v3/${AREAS}`);
const NEWER = new RegExp(String.raw`/crm/(objects|properties|pipelines|lists|owners)/\d{4}-\d{2}(?=[/?]|$)`);

/**
 * Returns a path, with or without query, unchanged and in its numbered and dated forms, so that a fault for one of them also
 * affects requests that use another.
 */
export function listSpellings(path: string): string[] {
  const numbered = path
    .replace(NEWER, "/crm/v3/$1")
    .replace(/\/crm-object-schemas\/(?:v3|\d{4}-\d{2})\/schemas/, "/crm/v3/schemas");
  const dated = path
    .replace(NUMBERED, "/crm/$1/2026-03")
    .replace("/crm/v3/schemas", "/crm-object-schemas/2026-03/schemas");
  return [...new Set([path, numbered, dated])];
}
