#!/usr/bin/env node
/** The `busbar` command for builders: it knows a server only by its address. */
import { runCommand } from "./run.ts";
import { openTerminal } from "./terminal.ts";

// No top-level await: the bundle is CommonJS. An unexpected error ends with its stack.
void runCommand(process.argv.slice(2), openTerminal()).then((exitCode) => {
  process.exitCode = exitCode;
});
