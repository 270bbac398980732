/** The dashboard in a browser: what a builder sets up and looks after. */
import { runSuites } from "./run-suites.ts";

await runSuites("integrations");
