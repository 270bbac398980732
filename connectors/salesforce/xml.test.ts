/** The XML reader takes what the Metadata API sends and nothing that could harm; the writer lets no text become markup. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findChildElement,
  listChildElements,
  getChildText,
  buildElement,
  readXml,
  writeXml,
  XmlError,
} from "./xml.ts";

test("elements are read by their local names, with text, attributes, CDATA, comments and references", () => {
  const root = readXml(
    `<?xml version="1.0"?><!-- hello --><s:a xmlns:s="urn:x" xmlns:xsi="urn:y">
       <b xsi:nil="true"/><c>one &amp; two &#x41;&#66;<![CDATA[ <raw> ]]></c><b>2</b></s:a>`,
  );
  assert.equal(root.name, "a");
  assert.equal(root.attributes.size, 0);
  assert.equal(findChildElement(root, "b")?.attributes.get("nil"), "true");
  assert.equal(listChildElements(root, "b").length, 2);
  assert.equal(getChildText(root, "c"), "one & two AB <raw>");
  assert.equal(getChildText(root, "d"), undefined);
});

test("document types, unknown entities and text that is not well-formed are refused", () => {
  const bad = [
    "",
    "text",
    "<a>",
    "</a>",
    "<a></b>",
    "<a/><b/>",
    "<a/>tail",
    "<a b=c/>",
    '<a b="<"/>',
    "<a>&nbsp;</a>",
    "<a>&#0;</a>",
    "<a>&#x110000;</a>",
    "<a>&</a>",
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    "<!DOCTYPE a><a/>",
    "<a>".repeat(40) + "</a>".repeat(40),
    `<a>${"x".repeat(5 * 1024 * 1024)}</a>`,
    "<html><br></html>",
  ];
  for (const text of bad) assert.throws(() => readXml(text), XmlError, text.slice(0, 60));
});

test("no entity is expanded: neither nested nor external nor parameter entities", () => {
  const declared = (subset: string, use: string) => `<!DOCTYPE a [${subset}]><a>${use}</a>`;
  const laughs = Array.from(
    { length: 10 },
    (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
  );
  const bad = [
    declared(`<!ENTITY l0 "lol">${laughs.join("")}`, "&l10;"),
    declared('<!ENTITY x SYSTEM "file:///etc/passwd">', "&x;"),
    declared('<!ENTITY x SYSTEM "http://127.0.0.1/">', "&x;"),
    declared('<!ENTITY % x SYSTEM "http://127.0.0.1/"> %x;', ""),
    '<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd"><a/>',
    '<!DOCTYPE a [<!ATTLIST a b CDATA "c">]><a/>',
    '<a b="&x;"/>',
  ];
  for (const text of bad) assert.throws(() => readXml(text), XmlError, text.slice(0, 60));
});

test("depth, number of elements and attributes, and length are limited", () => {
  const nested = (depth: number) => "<a>".repeat(depth) + "</a>".repeat(depth);
  assert.equal(readXml(nested(32)).name, "a");
  assert.throws(() => readXml(nested(33)), /too deep/);
  assert.throws(() => readXml("<a>".repeat(100_000)), /too deep/);
  assert.throws(() => readXml(`<a>${"<b/>".repeat(100_000)}</a>`), /too many/);
  const attributes = Array.from({ length: 100_000 }, (_, index) => ` a${index}=""`).join("");
  assert.throws(() => readXml(`<a${attributes}/>`), /too many/);
  assert.equal(readXml(`<a b="${"x".repeat(1_000_000)}"/>`).attributes.get("b")?.length, 1_000_000);
  assert.throws(() => readXml(`<a b="${"x".repeat(5_000_000)}"/>`), /too long/);
});

test("what is not closed is refused: tags, attributes, comments, CDATA, instructions", () => {
  const bad = [
    "<a",
    "<a b='",
    "<a><b></a>",
    "<a><!-- ",
    "<a><![CDATA[ ]]",
    "<?xml",
    "<a><?p ",
    "<a>x</a",
    "<a></A>",
  ];
  for (const text of bad) assert.throws(() => readXml(text), XmlError, text);
});

test("markup in CDATA is text, and the end of CDATA is none outside of it", () => {
  assert.equal(readXml("<a><![CDATA[<b>&amp;</b>]]>]<![CDATA[]]></a>").text, "<b>&amp;</b>]");
  assert.throws(() => readXml("<a>]]></a>"), XmlError);
});

test("prefixes are resolved to local names, and one that is not declared is refused", () => {
  const root = readXml(
    `<x:a xmlns:x="urn:x" xmlns="urn:d"><b xmlns="" x:type="t"/><y:b xmlns:y="urn:y"/><x:b/></x:a>`,
  );
  assert.deepEqual(
    root.children.map(({ name }) => name),
    ["b", "b", "b"],
  );
  assert.deepEqual([...(root.children[0]?.attributes ?? [])], [["type", "t"]]);
  for (const text of [
    "<x:a/>",
    '<a x:b="1"/>',
    '<a xmlns:x=""/>',
    '<a b="1" b="2"/>',
    '<x:a xmlns:x="u"></a>',
  ])
    assert.throws(() => readXml(text), XmlError, text);
});

test("names that mean something to JavaScript are names like others", () => {
  const root = readXml('<__proto__ constructor="a" __proto__="b"><toString>c</toString></__proto__>');
  assert.deepEqual([root.name, root.attributes.get("__proto__")], ["__proto__", "b"]);
  assert.equal(getChildText(root, "toString"), "c");
  assert.equal(getChildText(root, "valueOf"), undefined);
});

test("a text of hostile length takes less than a second of processor time", () => {
  for (const piece of ["<a ", "<!--", "<![CDATA[", "&amp;", '<a b="', "<a b='1' ", "<!DOCTYPE [", "<?x "]) {
    for (const text of [piece.repeat(100_000), `<a>${piece.repeat(100_000)}`]) {
      const before = process.cpuUsage();
      try {
        readXml(text);
      } catch (error) {
        assert.ok(error instanceof XmlError);
      }
      assert.ok(process.cpuUsage(before).user < 1_000_000, text.slice(0, 20));
    }
  }
});

test("what was written is read back the same, markup in it included", () => {
  const texts = [`</label><x>"'&amp;`, "ä 😀 ]]>", "a\tb"];
  const written = buildElement(
    "a",
    texts.map((text) => buildElement("b", text)),
  );
  const read = readXml(writeXml(written));
  assert.deepEqual(
    read.children.map(({ text }) => text),
    texts,
  );
  assert.equal(writeXml(buildElement("empty")), "<empty></empty>");
});
