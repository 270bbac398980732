/** Derives the package.json of the published package from the one of the repository. */

export interface Manifest {
  name: string;
  version: string;
  optionalDependencies: Record<string, string>;
  [member: string]: unknown;
}

const KEPT = ["name", "version", "description", "license", "type", "engines", "bin", "optionalDependencies"];

/** Leaves out what only a checkout needs: scripts, dependencies, which are in the bundle, `private`. */
export function packageManifest(manifest: Manifest): Manifest {
  const kept = Object.fromEntries(KEPT.map((name) => [name, manifest[name]]));
  return kept as Manifest;
}
