#!/usr/bin/env node
/**
 * The door to the `busbar` command, and the only file in plain JavaScript: types are stripped once and kept beside the
 * code, where only those can write who can change the code as well, and later starts do without the compiler (20 MiB).
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

// Names are looked up on libuv's threads, half of them at a time: two of the usual four would let two names whose
// servers are dead delay every other.
process.env["UV_THREADPOOL_SIZE"] ??= "16";

enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/busbar"));
await import("./commands/busbar.ts");
