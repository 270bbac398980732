/** Extracts a value from a request's path by the template of a description. */

/** Returns the value at NUL in the template, "" if the template has none; undefined for another path. */
export function extractFromPath(template: string, url: URL): string | undefined {
  const [wanted = "", query = ""] = template.split("?");
  let inQuery = "";
  for (const [name, value] of new URLSearchParams(query)) {
    const given = url.searchParams.get(name);
    if (value === "\u0000" && given) inQuery = given;
    else if (given !== value) return undefined;
  }
  const pattern = wanted.split("\u0000").map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = new RegExp(`^${pattern.join("([^/]+)")}$`).exec(url.pathname);
  return found ? decodeURIComponent(found[1] ?? inQuery) : undefined;
}
