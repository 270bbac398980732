/** What `npm run release` writes, as the programs that read it demand it; the whole command takes a minute and is not run here. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import {
  buildBillOfMaterials,
  renderChecksums,
  writeHomebrewFormula,
  writeImageDefinition,
  listInstalled,
  publishScript,
  releaseNotes,
  type Archive,
} from "./release/documents.ts";
import { isCandidate, listVersions, chooseNpmTag, toPythonVersion } from "./release/versions.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const { version } = JSON.parse(read("package.json"));
const CANDIDATE: Archive = {
  name: "busbar",
  version: "1.0.0-rc.1",
  file: "busbar-1.0.0-rc.1.tgz",
  sha256: "ab".repeat(32),
};

test("the version is the same wherever one is written", () => {
  const places = listVersions(version);
  const written = new Set(places.flatMap(({ file, found }) => (found.length > 0 ? [file] : [])));
  const wrong = places.filter(
    ({ file, found, right }) =>
      (!written.has(file) && !file.startsWith("examples/")) || found.some((one) => one !== right),
  );
  assert.deepEqual(wrong, []);
  const changelog = read("CHANGELOG.md");
  assert.ok([`## ${version}`, "## Unreleased"].some((heading) => changelog.includes(heading)));
});

test("a candidate is installed only on demand, and Python reads it as one", () => {
  assert.equal(chooseNpmTag("1.0.0-rc.1"), "next");
  assert.equal(chooseNpmTag("1.0.0"), "latest");
  assert.throws(() => isCandidate("1.0"), /X\.Y\.Z/);
  assert.throws(() => isCandidate("1.0.0-beta.1"), /X\.Y\.Z-rc\.N/);
  // PEP 440, "Pre-releases".
  assert.equal(toPythonVersion("1.0.0-rc.12"), "1.0.0rc12");
  assert.equal(toPythonVersion("1.0.0"), "1.0.0");
});

test("notes are the changelog's section of the version; only a candidate may take what is unreleased", () => {
  const changelog =
    "# Changelog\n\n## Unreleased\n\n- new\n\n## 1.0.0, 2027-01-02\n\n- done\n\n## 0.9.0\n\n- old\n";
  assert.equal(releaseNotes(changelog, "1.0.0"), "# Busbar 1.0.0\n\n- done\n");
  assert.equal(releaseNotes(changelog, "1.1.0-rc.1"), "# Busbar 1.1.0-rc.1\n\n- new\n");
  assert.throws(() => releaseNotes(changelog, "1.1.0"), /no heading "## 1\.1\.0"/);
});

test("the formula names the archive as npm's registry serves it, with its checksum", () => {
  const formula = writeHomebrewFormula(CANDIDATE);
  assert.match(formula, /url "https:\/\/registry\.npmjs\.org\/busbar\/-\/busbar-1\.0\.0-rc\.1\.tgz"/);
  assert.match(formula, new RegExp(`sha256 "${CANDIDATE.sha256}"`));
  // Homebrew's audit: https://docs.brew.sh/Formula-Cookbook, at most 80 characters with the name, no article or full stop.
  const [, description = ""] = /desc "(.*)"/.exec(formula) ?? [];
  assert.ok(`busbar: ${description}`.length <= 80 && !/^an? |\.$/i.test(description), description);
});

test("the image has a base of an exact version that runs Busbar, contains the release's archive, and does not run as root", () => {
  const definition = writeImageDefinition(read("deploy/Containerfile"), CANDIDATE, "https://github.com/o/r");
  const [, base = ""] =
    /^ARG NODE=docker\.io\/library\/node:(\d+\.\d+\.\d+)-bookworm-slim$/m.exec(definition) ?? [];
  assert.equal(base, JSON.parse(read("node_modules/node/package.json")).version);
  assert.deepEqual(definition.match(/^FROM .*/gm), ["FROM ${NODE}"]);
  assert.deepEqual(definition.match(/^COPY .*/gm), [`COPY ${CANDIDATE.file} /tmp/busbar.tgz`]);
  assert.match(
    definition,
    /^LABEL [^]*image\.version="1\.0\.0-rc\.1"[^]*image\.source="https:\/\/github\.com\/o\/r"\n\nUSER node$/m,
  );
  assert.equal(definition.match(/^USER .*/gm)?.at(-1), "USER node");
});

/** What `npm sbom` prints, of a package that needs `a`, which needs `b`; `c` is for development. */
const LISTED = {
  serialNumber: "urn:uuid:1",
  metadata: { timestamp: "2026-01-01T00:00:00Z", component: { name: "folder", "bom-ref": "x@1.0.0" } },
  components: ["a@1.0.0", "b@2.0.0", "c@3.0.0"].map((ref) => ({ "bom-ref": ref })),
  dependencies: [
    { ref: "x@1.0.0", dependsOn: ["a@1.0.0", "c@3.0.0"] },
    { ref: "a@1.0.0", dependsOn: ["b@2.0.0"] },
    { ref: "b@2.0.0", dependsOn: [] },
    { ref: "c@3.0.0", dependsOn: ["b@2.0.0"] },
  ],
};

test("a bill of materials names the package and what is inside, and nothing else", () => {
  const made = buildBillOfMaterials(JSON.stringify(LISTED), "x", ["a@1.0.0", "b@2.0.0"], new Date(0));
  const { metadata, components, dependencies } = JSON.parse(made);
  assert.equal(metadata.component.name, "x");
  assert.deepEqual(components, [{ "bom-ref": "a@1.0.0" }, { "bom-ref": "b@2.0.0" }]);
  assert.deepEqual(dependencies, [
    { ref: "x@1.0.0", dependsOn: ["a@1.0.0"] },
    { ref: "a@1.0.0", dependsOn: ["b@2.0.0"] },
    { ref: "b@2.0.0", dependsOn: [] },
  ]);
  assert.throws(
    () => buildBillOfMaterials(JSON.stringify(LISTED), "x", ["d@1.0.0"], new Date(0)),
    /lock file: d@1\.0\.0/,
  );
});

test("a bill of materials of the same packages is the same, whenever and wherever it is made", () => {
  const make = (serialNumber: string, timestamp: string, folder: string, contents = ["a@1.0.0"]) => {
    const metadata = { timestamp, component: { ...LISTED.metadata.component, name: folder } };
    return buildBillOfMaterials(
      JSON.stringify({ ...LISTED, serialNumber, metadata }),
      "x",
      contents,
      new Date(0),
    );
  };
  const first = make("urn:uuid:1", "2026-01-01T00:00:00Z", "busbar");
  assert.equal(make("urn:uuid:2", "2027-01-01T00:00:00Z", "clone"), first);
  assert.notEqual(make("urn:uuid:1", "2026-01-01T00:00:00Z", "busbar", ["b@2.0.0"]), first);
  // CycloneDX 1.5, `serialNumber`: "must conform to RFC 4122".
  assert.match(
    JSON.parse(first).serialNumber,
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test("a lock file gives what npm installs, and nothing that is only for development", () => {
  const installed = listInstalled(read("package-lock.json"));
  assert.ok(installed.some((one) => one.startsWith("pg@")));
  assert.ok(!installed.some((one) => one.startsWith("vite@")));
});

test("publishing checks the files, and asks for provenance only where npm offers it", async (scope) => {
  const folder = await mkdtemp(join(tmpdir(), "busbar-publish-"));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  const bytes = Buffer.from("packed");
  await writeFile(join(folder, CANDIDATE.file), bytes);
  await writeFile(join(folder, "SHA256SUMS"), renderChecksums({ [CANDIDATE.file]: bytes }));
  await writeFile(join(folder, "publish.sh"), publishScript([CANDIDATE]));
  const npm = '#!/bin/sh\nif [ "$1" = view ]; then printf %s "$FOUND"; else echo "npm $*"; fi\n';
  await writeFile(join(folder, "npm"), npm);
  for (const file of ["npm", "publish.sh"]) await chmod(join(folder, file), 0o755);
  const publish = (env: Record<string, string>) =>
    execFileSync(join(folder, "publish.sh"), {
      env: { PATH: `${folder}:${process.env["PATH"]}`, ...env },
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  const plain = "npm publish ./busbar-1.0.0-rc.1.tgz --access public --tag next";
  assert.equal(publish({}), plain);
  // https://docs.npmjs.com/generating-provenance-statements: GitHub Actions and GitLab CI/CD.
  assert.equal(publish({ GITHUB_ACTIONS: "true" }), `${plain} --provenance`);
  assert.equal(publish({ GITLAB_CI: "true" }), `${plain} --provenance`);
  // A workflow that failed at a later step is run again, and npm refuses a version that it has.
  assert.equal(publish({ FOUND: CANDIDATE.version }), "");
  await writeFile(join(folder, CANDIDATE.file), "changed");
  assert.throws(() => publish({}));
});

interface Workflow {
  permissions?: unknown;
  jobs: Record<string, { permissions?: unknown; steps: { uses?: string; run?: string }[] }>;
}

test("workflows pin every action by commit, are given no right by default, and run what exists", async () => {
  const { scripts } = JSON.parse(read("package.json"));
  const files = globSync(".github/workflows/*.yml", { cwd: ROOT });
  assert.ok(files.length > 0);
  for (const file of files) {
    const text = await readFile(join(ROOT, file), "utf8");
    const workflow = parse(text) as Workflow;
    assert.ok(
      [{}, { contents: "read" }].some((few) => JSON.stringify(few) === JSON.stringify(workflow.permissions)),
      file,
    );
    for (const { uses, run = "" } of Object.values(workflow.jobs).flatMap(({ steps }) => steps)) {
      if (uses !== undefined) assert.match(uses, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      // A value in a script's text is run as code: https://docs.github.com/en/actions/concepts/security/script-injections
      assert.doesNotMatch(run, /\$\{\{/);
      for (const [, name = ""] of run.matchAll(/npm run ([\w:-]+)/g))
        assert.ok(Object.hasOwn(scripts, name), name);
    }
  }
});

test("every file that publishing names in the workflow is made by the release", () => {
  const workflow = read(".github/workflows/release.yml");
  const source = read("scripts/release.ts");
  for (const [, name = ""] of workflow.matchAll(/dist\/release\/([\w.]+)/g))
    assert.ok(source.includes(`"${name}"`), name);
});
