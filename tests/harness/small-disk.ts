/** A folder on a small disk in memory, which a test fills. */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SMALL_BYTES = 300 * 1024 ** 2;
const BLOCK_BYTES = 4_096;

export interface SmallDisk {
  folder: string;
  /** Fills what is left of it. */
  fill(): void;
  /** Frees what filled it. */
  free(): Promise<void>;
  close(): Promise<void>;
}

/** Returns why there can be no small disk: only root mounts. */
export function explainNoSmallDisk(): string | false {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "only root of a Linux can mount a small disk";
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"], { stdio: "ignore" });
    execFileSync("umount", ["/mnt"]);
    return false;
  } catch {
    return "this machine does not let its root mount a disk";
  }
}

export async function openSmallDisk(): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), "busbar-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SMALL_BYTES},mode=0700`, "tmpfs", folder]);
  const filler = join(folder, "filler");
  return {
    folder,
    fill: () => fillDisk(filler),
    free: () => rm(filler, { force: true }),
    async close() {
      // Lazily: a process that ends at this moment may still hold a file.
      execFileSync("umount", ["--lazy", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function fillDisk(file: string): void {
  const descriptor = openSync(file, "a");
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(BLOCK_BYTES));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    closeSync(descriptor);
  }
}
