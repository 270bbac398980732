// Just enough XML for SOAP: an element tree by local names, and escaping.

export type Element = {
  /** Without a namespace prefix. */
  name: string;
  /** By local name: `xsi:type` is `type`. */
  attributes: Record<string, string>;
  children: Element[];
  text: string;
};

const PART =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/y;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The root element. Throws a SyntaxError for text that is not well-formed or holds a document type. */
export function parseXml(text: string): Element {
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open: Element[] = [root];
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const at = PART.lastIndex;
    const match = PART.exec(text);
    const parent = open.at(-1);
    if (match === null || parent === undefined) throw new SyntaxError(`not well-formed at character ${at}`);
    const [, cdata, closing, name, attributes = "", selfClosing, plain] = match;
    if (cdata !== undefined) parent.text += cdata;
    else if (plain !== undefined) parent.text += unescapeXml(plain);
    else if (name === undefined) continue;
    else if (closing === "/") {
      if (open.length === 1 || parent.name !== local(name))
        throw new SyntaxError(`unexpected </${name}> at character ${at}`);
      open.pop();
    } else {
      const element: Element = {
        name: local(name),
        attributes: attributesIn(attributes),
        children: [],
        text: "",
      };
      parent.children.push(element);
      if (selfClosing !== "/") open.push(element);
    }
  }
  const [only] = root.children;
  if (open.length > 1 || only === undefined || root.children.length > 1 || root.text.trim() !== "") {
    throw new SyntaxError("there must be exactly one closed root element");
  }
  return only;
}

function local(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function attributesIn(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = "", double, single] of text.matchAll(ATTRIBUTE)) {
    if (!name.startsWith("xmlns")) found[local(name)] = unescapeXml(double ?? single ?? "");
  }
  return found;
}

export function child(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((candidate) => candidate.name === name);
}

/** Trimmed text of a child; undefined when there is no such child. */
export function childText(element: Element | undefined, name: string): string | undefined {
  return child(element, name)?.text.trim();
}

export function childrenNamed(element: Element | undefined, name: string): Element[] {
  return element?.children.filter((candidate) => candidate.name === name) ?? [];
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(#x?[\da-fA-F]+|\w+);/g, (all, entity: string) => {
    if (!entity.startsWith("#")) return ENTITIES[entity] ?? all;
    const code = entity.startsWith("#x") ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
    return String.fromCodePoint(code);
  });
}

export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Plain values as elements: lists repeat their element, undefined is left out. */
export function toXml(name: string, value: unknown, attributes = ""): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map((item) => toXml(name, item, attributes)).join("");
  const inner =
    typeof value === "object"
      ? Object.entries(value)
          .map(([key, item]) => toXml(key, item))
          .join("")
      : escapeXml(String(value));
  return `<${name}${attributes}>${inner}</${name}>`;
}
