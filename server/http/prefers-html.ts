/** Decides whether a client prefers HTML to JSON (RFC 9110, section 12.5.1). */

const HTML = /^(text\/html|application\/xhtml\+xml|text\/\*)$/;
const JSON_OR_ANY = /^(application\/(json|\*|[\w.-]+\+json)|\*\/\*)$/;

/**
 * Returns whether `Accept` names HTML before JSON: with a larger `q`, or first with the same one. Anything counts as JSON, as does no
 * header.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = (accept ?? "").split(",").map((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = Number(parameters.find((text) => text.startsWith("q="))?.slice(2) ?? 1);
    return { range, quality: Number.isNaN(quality) ? 1 : quality };
  });
  const wanted = ranges
    .filter(({ range, quality }) => quality > 0 && (HTML.test(range) || JSON_OR_ANY.test(range)))
    .toSorted((left, right) => right.quality - left.quality);
  return HTML.test(wanted[0]?.range ?? "");
}
