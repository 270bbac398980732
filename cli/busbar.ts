#!/usr/bin/env node
/** The `busbar` command for builders: it knows a server only by its address. */
import { runCommand } from "./run.ts";
import { thisTerminal } from "./terminal.ts";

process.exitCode = await runCommand(process.argv.slice(2), thisTerminal());
