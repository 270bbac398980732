#!/usr/bin/env node
/**
 * Runs the `busbar` command; the only file in plain JavaScript. The compile cache stores the code without types, so that later
 * starts need no compiler (20 MiB). It is in node_modules, so whoever can change it can change the code anyway.
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

// DNS lookups use half of libuv's threads: with the default of four, two names with dead servers would delay all others.
process.env["UV_THREADPOOL_SIZE"] ??= "16";

enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/busbar"));
await import("./commands/busbar.ts");
