/** The dashboard in a browser: all suites that have no other test file. */
import { runSuites } from "./run-suites.ts";

await runSuites("others");
