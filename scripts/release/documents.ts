/** The files of a release that are text: Homebrew's formula, the image's definition, notes, the bill of materials, checksums. */
import { createHash } from "node:crypto";
import { v5 } from "uuid";
import { isCandidate, chooseNpmTag } from "./versions.ts";

/** The address of npm's registry, which serves the packed file byte by byte as it was published. */
const REGISTRY = "https://registry.npmjs.org";
/** The namespace of names that are URLs (RFC 9562, section 6.6). */
const NAMESPACE = v5.URL;

export interface Archive {
  /** For example `@busbar/client`. */
  name: string;
  version: string;
  /** Its file in the release's folder. */
  file: string;
  sha256: string;
}

export const digestSha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Returns the formula, as Homebrew's "Node for Formula Authors" describes it: npm installs the archive that npm's registry
 * serves, with the versions of its `npm-shrinkwrap.json`.
 */
export function writeHomebrewFormula(
  server: Archive,
  homepage = "https://www.npmjs.com/package/busbar",
): string {
  return `class Busbar < Formula
  desc "Self-hosted platform for integrations with customers' SaaS accounts"
  homepage "${homepage}"
  url "${REGISTRY}/${server.name}/-/${server.file}"
  sha256 "${server.sha256}"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  test do
    assert_match "${server.version}", shell_output("#{bin}/busbar --version")
  end
end
`;
}

/** Returns the definition of `deploy/` for the release's folder: with its archive, and labels. */
export function writeImageDefinition(containerfile: string, server: Archive, repository?: string): string {
  const labels = [
    `org.opencontainers.image.title="busbar"`,
    `org.opencontainers.image.version="${server.version}"`,
    `org.opencontainers.image.licenses="MIT"`,
    ...(repository ? [`org.opencontainers.image.source="${repository}"`] : []),
  ];
  return containerfile
    .replaceAll(/^#.*\n/gm, (line) =>
      line.includes("npm run package") || line.includes("-t busbar:") ? "" : line,
    )
    .replace("COPY dist/busbar-*.tgz", `COPY ${server.file}`)
    .replace("\nUSER node\n", `\nLABEL ${labels.join(" \\\n      ")}\n\nUSER node\n`);
}

/**
 * Returns the changelog's section of the version. A candidate may take what is unreleased. Throws an error if there is neither.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const names = isCandidate(version) ? [version, "Unreleased"] : [version];
  for (const name of names) {
    const section = sections.find((text) => text.split(/[\s,]/, 1)[0] === name);
    if (section) return `# Busbar ${version}\n\n${section.slice(section.indexOf("\n")).trim()}\n`;
  }
  throw new Error(
    `CHANGELOG.md has no heading "## ${version}": give what is unreleased this name and its date`,
  );
}

interface Bom {
  serialNumber: string;
  metadata: { timestamp: string; component: { name: string }; [member: string]: unknown };
  components: { "bom-ref": string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
  [member: string]: unknown;
}

/**
 * Returns the bill of materials (CycloneDX) of a package called `name`: npm's list of all packages of a lock file, less those that are
 * not among `contents` (`pg@8.23.1`). npm's own `--omit dev` also leaves out packages that the server needs. The time is the commit's,
 * and the number depends on the contents alone.
 */
export function buildBillOfMaterials(made: string, name: string, contents: string[], time: Date): string {
  const bom = JSON.parse(made) as Bom;
  const isInside = new Set(contents);
  const components = bom.components.filter((one) => isInside.delete(one["bom-ref"]));
  if (isInside.size > 0) throw new Error(`not in the lock file: ${[...isInside].join(", ")}`);
  const kept = new Set(contents);
  const { dependencies, metadata } = bom;
  const root = dependencies.find(({ ref }) => !bom.components.some((one) => one["bom-ref"] === ref))?.ref;
  const dated: Bom = {
    ...bom,
    serialNumber: "",
    // npm names it after the folder.
    metadata: { ...metadata, timestamp: time.toISOString(), component: { ...metadata.component, name } },
    components,
    dependencies: dependencies
      .filter(({ ref }) => ref === root || kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  };
  dated.serialNumber = `urn:uuid:${v5(JSON.stringify(dated), NAMESPACE)}`;
  return `${JSON.stringify(dated, null, 2)}\n`;
}

interface Lock {
  packages: Record<string, { version: string; dev?: true; devOptional?: true }>;
}

/** Returns what a lock file installs without development packages, as `name@version`. */
export function listInstalled(lock: string): string[] {
  const { packages } = JSON.parse(lock) as Lock;
  const installed = Object.entries(packages).filter(([path, one]) => path && !one.dev && !one.devOptional);
  return installed.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
}

/**
 * Returns the script that publishes the packages, which nothing here runs. npm signs where and from what a package was built
 * (`--provenance`) only in workflows of GitHub and GitLab: elsewhere it refuses the flag.
 */
export function publishScript(archives: Archive[]): string {
  const publish = ({ name, file, version }: Archive) =>
    `isThere "${name}@${version}" || npm publish "./${file}" --access public --tag ${chooseNpmTag(version)} $provenance`;
  return `#!/bin/sh
# Publishes this folder's packages on npm. Needs a login, or a trusted publisher. May be run again after it has failed.
set -eu
cd "$(dirname "$0")"
if command -v sha256sum >/dev/null; then sha256sum --check --quiet SHA256SUMS; else shasum -a 256 --check SHA256SUMS; fi
provenance=
if [ "\${GITHUB_ACTIONS:-}\${GITLAB_CI:-}" = true ]; then provenance=--provenance; fi
isThere() { test -n "$(npm view "$1" version 2>/dev/null)"; }
${archives.map(publish).join("\n")}
`;
}

/** Returns the list that `sha256sum --check` reads. */
export function renderChecksums(files: Record<string, Uint8Array>): string {
  const names = Object.keys(files).toSorted();
  return names.map((name) => `${digestSha256(files[name] ?? new Uint8Array())}  ${name}\n`).join("");
}
