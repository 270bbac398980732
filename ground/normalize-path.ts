/** Spells the paths of URLs in one way: callers may encode more characters than they must. */

/** Returns a path in which only what must be encoded is. A step that cannot be decoded stays as it is. */
export const normalizePath = (path: string): string => path.split("/").map(normalizeStep).join("/");

function normalizeStep(step: string): string {
  try {
    return encodeStep(decodeURIComponent(step));
  } catch {
    return step;
  }
}

/** Encodes a name as a step of a path; these characters need no encoding there (RFC 3986, `pchar`). */
export const encodeStep = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll(/%(?:3A|40|24|26|2B|2C|3B|3D)/g, decodeURIComponent);
