/** Derives the package.json of the published package from the one of the repository. */

export interface Manifest {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  [member: string]: unknown;
}

const KEPT = [
  "name",
  "version",
  "description",
  "license",
  "type",
  "engines",
  "bin",
  "dependencies",
  "optionalDependencies",
];

/** Leaves out what only a checkout needs: scripts, development dependencies, `private`. */
export function packageManifest(manifest: Manifest): Manifest {
  const kept = Object.fromEntries(KEPT.map((name) => [name, manifest[name]]));
  return kept as Manifest;
}
