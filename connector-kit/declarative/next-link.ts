/** Finds the next page in a `Link` header (RFC 8288). */

/** One link: its address, and its parameters. Quoted values may have commas. Written so that a long header is read once. */
const LINK = /<([^<>]*)>((?:[^,"<]|"(?:[^"\\]|\\.)*")*)/g;
const PARAMETER = /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

/** Returns the address of the next page. Names of parameters and relations have no case, and a link may have several relations. */
export function findNextLink(header: string | undefined): string | undefined {
  for (const [, address, parameters = ""] of (header ?? "").matchAll(LINK)) {
    const named = Array.from(parameters.matchAll(PARAMETER), ([, name = "", quoted, bare = ""]) => ({
      name: name.toLowerCase(),
      value: (quoted ?? bare).toLowerCase(),
    }));
    const relations = named.find(({ name }) => name === "rel")?.value.split(/\s+/) ?? [];
    if (relations.some((relation) => relation === "next" || relation === "'next'")) return address;
  }
  return undefined;
}
