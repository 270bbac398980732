/** Derives the lock file of the published package: the versions that were tested, without those that are bundled. */
import type { Manifest } from "./package-manifest.ts";

interface Lock {
  name: string;
  version: string;
  packages: Record<string, Record<string, unknown>>;
  [member: string]: unknown;
}

/** Returns the lock of `npm-shrinkwrap.json`, which npm follows when it installs the package. Its packages need no others. */
export function productionLock(lock: Lock, { name, version, ...manifest }: Manifest): Lock {
  const installed = Object.keys(manifest.optionalDependencies).map((one) => `node_modules/${one}`);
  const packages = Object.fromEntries(installed.map((path) => [path, lock.packages[path] ?? {}]));
  const root = { name, version, ...manifest };
  return { ...lock, name, version, packages: { "": root, ...packages } };
}
