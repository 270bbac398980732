/** Derives the lock file of the published package: the versions that were tested, without those of development. */
import type { Manifest } from "./package-manifest.ts";

interface Locked {
  dev?: boolean;
  devOptional?: boolean;
  [member: string]: unknown;
}

interface Lock {
  name: string;
  version: string;
  packages: Record<string, Locked>;
  [member: string]: unknown;
}

/** Returns the lock of `npm-shrinkwrap.json`, which npm follows when it installs the package. */
export function productionLock(lock: Lock, { name, version, ...manifest }: Manifest): Lock {
  const packages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && !dev);
  const root = { name, version, ...manifest };
  return { ...lock, name, version, packages: { "": root, ...Object.fromEntries(packages) } };
}
