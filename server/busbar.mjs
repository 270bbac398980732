#!/usr/bin/env -S node --max-semi-space-size=16
/**
 * Runs the `busbar` command, in plain JavaScript so that it can say that Node.js is too old. The compile cache stores the code
 * without types, so that later starts need no compiler (20 MiB). It is in node_modules, so whoever can change it can
 * change the code anyway.
 *
 * The flag in the first line, which `npm start` also has: by default, V8 lets the young generation grow to more than 100 MiB
 * on a large machine, and in a container of 512 MiB keeps it at 2 MiB, where a proxied call costs more than twice as much CPU time
 * (docs/decisions/0036).
 */
import { join } from "node:path";
import { requireNode } from "./require-node.mjs";

requireNode();

// DNS lookups use half of libuv's threads: with the default of four, two names with dead servers would delay all others.
process.env["UV_THREADPOOL_SIZE"] ??= "16";

const { enableCompileCache } = await import("node:module");
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/busbar"));
await import("./commands/busbar.ts");
