/** The XML reader takes what the Metadata API sends and nothing that could harm; the writer lets no text become markup. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { childNamed, childrenNamed, childText, element, readXml, writeXml, XmlError } from "./xml.ts";

test("elements are read by their local names, with text, attributes, CDATA, comments and references", () => {
  const root = readXml(
    `<?xml version="1.0"?><!-- hello --><s:a xmlns:s="urn:x" xmlns:xsi="urn:y">
       <b xsi:nil="true"/><c>one &amp; two &#x41;&#66;<![CDATA[ <raw> ]]></c><b>2</b></s:a>`,
  );
  assert.equal(root.name, "a");
  assert.equal(root.attributes.size, 0);
  assert.equal(childNamed(root, "b")?.attributes.get("nil"), "true");
  assert.equal(childrenNamed(root, "b").length, 2);
  assert.equal(childText(root, "c"), "one & two AB <raw>");
  assert.equal(childText(root, "d"), undefined);
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

test("hostile lengths are refused quickly", () => {
  const started = process.hrtime.bigint();
  for (const piece of ["<a ", "<!--", "<![CDATA[", "&amp;", '<a b="', "<a b='1' "]) {
    const text = piece.repeat(100_000);
    try {
      readXml(text);
    } catch (error) {
      assert.ok(error instanceof XmlError);
    }
  }
  assert.ok(process.hrtime.bigint() - started < 2_000_000_000n);
});

test("what was written is read back the same, markup in it included", () => {
  const texts = [`</label><x>"'&amp;`, "ä 😀 ]]>", "a\tb"];
  const written = element(
    "a",
    texts.map((text) => element("b", text)),
  );
  const read = readXml(writeXml(written));
  assert.deepEqual(
    read.children.map(({ text }) => text),
    texts,
  );
  assert.equal(writeXml(element("empty")), "<empty></empty>");
});
