/** The dashboard in a browser: what is true of every page. */
import { runSuites } from "./run-suites.ts";

await runSuites("pages");
