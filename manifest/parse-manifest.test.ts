/** Guards the reading of YAML: positions, and that no text, however hostile, does harm. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkManifest } from "./check-manifest.ts";
import type { Path } from "./finding.ts";
import { parseManifest } from "./parse-manifest.ts";

const reported = (source: string) =>
  parseManifest(source).findings.map(({ rule, line, column }) => `${rule} ${line}:${column}`);

test("a quote that stays open is found where it begins, not at the end of the file", () => {
  assert.deepEqual(reported('a: "x"\nb:\n  - name: "y\n    c: d\n'), ["yaml-syntax 3:11"]);
  assert.deepEqual(reported("a: 'b\nc: d\n"), ["yaml-syntax 1:4"]);
});

describe("positions", () => {
  const { document } = parseManifest(`# first
top:
  list:
    - name: a
      on: "*/5"
    - {name: b}
  empty:
other: &anchor
  deep: 1
again: *anchor
base:
  <<: *anchor
  own: 2
`);
  const at = (path: Path, wanted?: "key") => {
    const { line, column } = document?.findPosition(path, wanted) ?? { line: 0, column: 0 };
    return `${line}:${column}`;
  };
  test("a value is found where it stands, a block at its key, an entry at its beginning", () => {
    assert.equal(at(["top", "list", 0, "on"]), "5:11");
    assert.equal(at(["top", "list", 0, "on"], "key"), "5:7");
    assert.equal(at(["top", "list"]), "3:3");
    assert.equal(at(["top", "list", 1]), "6:7");
  });
  test("what is missing is found at its key or the nearest parent", () => {
    assert.equal(at(["top", "empty"]), "7:3");
    assert.equal(at(["top", "list", 0, "gone", "further"]), "4:7");
    assert.equal(at(["top", "list", 9]), "3:3");
    assert.equal(at(["nowhere"]), "2:1");
  });
  test("aliases and merged maps lead to what they stand for", () => {
    assert.equal(at(["again"]), "10:8");
    assert.equal(at(["again", "deep"]), "9:9");
    assert.equal(at(["base", "deep"]), "9:9");
    assert.deepEqual(document?.data, {
      top: { list: [{ name: "a", on: "*/5" }, { name: "b" }], empty: null },
      other: { deep: 1 },
      again: { deep: 1 },
      base: { own: 2, deep: 1 },
    });
  });
});

describe("mistakes", () => {
  test("syntax errors carry line and column", () => {
    assert.deepEqual(reported("a: 1\n\tb: 2"), ["yaml-syntax 2:1"]);
    assert.deepEqual(reported("a: [1"), ["yaml-syntax 1:6"]);
    assert.deepEqual(reported("a: 1\nb: c: d"), ["yaml-syntax 2:4"]);
    assert.deepEqual(reported("on: *x"), ["yaml-syntax 1:5"]);
    assert.deepEqual(reported("a: 1\n---\nb: 2"), ["yaml-syntax 2:1"]);
    assert.deepEqual(reported("? [x]\n: 1"), ["yaml-syntax 1:3"]);
  });
  const MISTAKES: [what: string, source: string, remedy: RegExp][] = [
    ["a cron text without quotes", "schedule: */30 * * * *\n", /\* in quotes/],
    ["an entry that sticks out of its list", "list:\n  - name: a\n   provider: b\n", /Line the entry up/],
    ["an entry that sticks out of its map", "a:\n    b: 1\n  c: 2\n", /Line the entry up/],
    ["a bracket that stays open", "a: [1, 2\nb: c\n", /Close the bracket/],
    ["a quote that stays open", 'a: "b\nc: d\n', /Close the quote/],
    ["a key without a colon", "list:\n  - name a\n    provider: b\n", /a colon and a space/],
    ["a value that begins with @", "a: @b\n", /in quotes/],
    ["a value with a colon", "name: a: b\n", /contain a colon in quotes/],
  ];
  for (const [what, source, remedy] of MISTAKES) {
    test(`${what} is told with what to do about it`, () => {
      assert.match(parseManifest(source).findings[0]?.remedy ?? "", remedy);
    });
  }

  test("a key given twice is reported at the second place, and the file is still read", () => {
    const { document, findings } = parseManifest("a: 1\nb: 2\na: 3");
    assert.deepEqual(
      findings.map(({ rule, line, path }) => [rule, line, path]),
      [["duplicate-key", 3, "$.a"]],
    );
    assert.deepEqual(document?.data, { a: 1, b: 2 });
  });
  test("keys that are numbers or words of YAML are read as text", () => {
    assert.deepEqual(Object.keys((parseManifest("1: a\ntrue: b\nnull: c").document?.data ?? {}) as object), [
      "1",
      "true",
      "null",
    ]);
  });
  test("a key named __proto__ is data and nothing else", () => {
    const data = parseManifest("__proto__: {polluted: true}").document?.data;
    assert.deepEqual(Object.keys((data ?? {}) as object), ["__proto__"]);
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });
});

describe("hostile texts", () => {
  test("more than a megabyte is refused unread", () => {
    assert.deepEqual(reported("#".repeat(1_048_577)), ["manifest-size 1:1"]);
  });
  test("aliases that expand to very much are refused", () => {
    const levels = Array.from(
      { length: 30 },
      (_, i) => `l${i}: &l${i} [${i === 0 ? "x" : `*l${i - 1}, *l${i - 1}`}]`,
    );
    const merges = Array.from(
      { length: 30 },
      (_, i) => `l${i}: &l${i} {${i === 0 ? "x: 1" : `<<: [*l${i - 1}, *l${i - 1}], k${i}: *l${i - 1}`}}`,
    );
    for (const source of [levels.join("\n"), merges.join("\n")]) {
      assert.deepEqual(
        parseManifest(source).findings.map(({ message }) => message),
        ["Aliases expand to too much data."],
      );
    }
  });
  test("merges of merges are refused as soon as they are too many, whatever they hold", () => {
    const list = (count: number, line: (index: number) => string, between = "\n") =>
      Array.from({ length: count }, (_, index) => line(index)).join(between);
    const chain = list(
      3_000,
      (index) => `m${index}: &m${index} {<<: *m${Math.max(0, index - 1)}, k${index}: 1}`,
    );
    const big = `big: &big {${list(4_000, (index) => `k${index}: 1`, ", ")}}`;
    for (const source of [
      chain.replace("<<: *m0, k0", "k0"),
      `${big}\nall:\n  <<: [${Array.from({ length: 20_000 }, () => "*big").join(", ")}]`,
      // One merged member, which holds much, many times.
      `base: &base\n  held: [${list(500, () => "1", ", ")}]\n${list(2_000, (index) => `m${index}: {<<: *base}`)}`,
    ]) {
      const { findings, document } = parseManifest(source);
      assert.equal(document, undefined);
      assert.match(findings[0]?.message ?? "", /expand to too much/);
    }
  });

  test("an alias inside its own anchor is refused", () => {
    for (const source of ["a: &x [*x]", "a: &x {b: {c: *x}}", "a: &x\n  <<: *x\n  b: *x"]) {
      assert.deepEqual(reported(source).length, 1, source);
    }
  });
  test("deep nesting is refused, whatever the style", () => {
    const block = Array.from({ length: 60 }, (_, i) => `${" ".repeat(i)}a:`).join("\n");
    for (const source of [
      block,
      "[".repeat(60) + "]".repeat(60),
      "[".repeat(100_000),
      "- ".repeat(100_000),
    ]) {
      assert.match(parseManifest(source).findings[0]?.message ?? "", /nested too deeply/);
    }
  });
  test("a map of as many keys as the size allows is read", () => {
    const source = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join("\n");
    assert.equal(parseManifest(source).findings.length, 0);
  });
  test("random texts and random damage to a manifest never throw", () => {
    const seedText = `specVersion: 1.0.0
integrations:
  - name: a
    provider: acme
    module: m
    read: {objects: [{objectName: o, destination: d, schedule: "0 * * * *", backfill: {defaultPeriod: {days: 3}}}]}
    subscribe: {objects: [{objectName: o, updateEvent: {enabled: always, requiredWatchFields: [x]}}]}
    proxy: {enabled: true}
`;
    let seed = 12345;
    const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
    const pieces = [
      ..."{}[],:-*&!|>'\"%@`#? \n\t\0\u{1F600}",
      "<<",
      "a: ",
      "- ",
      "null",
      "*a",
      "&a ",
      "---\n",
      "$['",
    ];
    const piece = () => pieces[random(pieces.length)] ?? "";
    for (let round = 0; round < 3000; round++) {
      const at = random(seedText.length);
      const source =
        round % 3 === 0
          ? Array.from({ length: random(40) }, piece).join("")
          : seedText.slice(0, at) + piece() + seedText.slice(at + random(12));
      const { manifest, findings } = checkManifest(source, {});
      for (const { line, column } of findings) assert.ok(line >= 1 && column >= 1);
      assert.equal(
        manifest === undefined,
        findings.some(({ severity }) => severity === "error"),
        source,
      );
    }
  });
});
