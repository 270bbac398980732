/** The letters and the colour of a provider's monogram. Made here: logos are their owners' marks. Pure. */

interface Monogram {
  /** One or two. */
  letters: string;
  /** In degrees; the same for a provider everywhere. */
  hue: number;
}

/** Returns the first letters of two words (`HubSpot` counts as two), or the first letter of one. */
export function buildMonogram(provider: string, name: string): Monogram {
  const words = name.replace(/^x-/, "").match(/\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}+(?!\p{Ll})|\p{L}/gu) ?? [];
  const letters = words
    .slice(0, 2)
    .map((word) => [...word][0] ?? "")
    .join("")
    .toUpperCase();
  let hash = 0;
  for (const letter of provider) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 360;
  return { letters: letters || "?", hue: hash };
}
