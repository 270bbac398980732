#!/usr/bin/env node
/** The `busbar` command for builders: it knows a server only by its address. */
import { runCommand } from "./run.ts";
import { thisTerminal } from "./terminal.ts";

// No await at the top: bundled, this is CommonJS. What is no failure of the person ends with a stack.
void runCommand(process.argv.slice(2), thisTerminal()).then((exitCode) => {
  process.exitCode = exitCode;
});
