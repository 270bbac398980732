#!/usr/bin/env node
/**
 * Runs the `busbar` command, in plain JavaScript so that it can say that Node.js is too old. The compile cache stores the code
 * without types, so that later starts need no compiler (20 MiB). It is in node_modules, so whoever can change it can
 * change the code anyway.
 */
import { join } from "node:path";
import { requireNode } from "./require-node.mjs";

requireNode();

// DNS lookups use half of libuv's threads: with the default of four, two names with dead servers would delay all others.
process.env["UV_THREADPOOL_SIZE"] ??= "16";

const { enableCompileCache } = await import("node:module");
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/busbar"));
await import("./commands/busbar.ts");
