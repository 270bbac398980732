/** Refuses misspelt variables, which would otherwise be ignored without a word. */
import { didYouMean } from "./closest.ts";
import { StartError } from "./errors.ts";

/** Variables of the command line and of the tests; they may be set where a server starts. */
const OTHERS = /^BUSBAR_(URL|API_KEY|PROJECT|PROXY_URL|TEST_\w+)$/;

/** Kubernetes sets these for every service, so a service called `busbar-db` makes names that begin like ours. */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP)(_\w+)?$|_PORT$/;

/** Throws `StartError` for a variable that begins with `BUSBAR_` and is not in `known`. */
export function refuseUnknownVariables(names: string[], known: ReadonlySet<string>): void {
  const unknown = names
    .filter((name) => name.startsWith("BUSBAR_") && !known.has(name))
    .find((name) => !OTHERS.test(name) && !SERVICE_LINK.test(name));
  if (unknown === undefined) return;
  const hint = didYouMean(unknown, known, "docs/guide/configuration.md lists the variables.");
  throw new StartError(`${unknown} is not a variable of Busbar. ${hint}`);
}
