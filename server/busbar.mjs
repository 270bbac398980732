#!/usr/bin/env node
/**
 * The door to the `busbar` command, and the only file in plain JavaScript: types are stripped once and kept beside the
 * code, where only those can write who can change the code as well, and later starts do without the compiler (20 MiB).
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/busbar"));
await import("./busbar.ts");
