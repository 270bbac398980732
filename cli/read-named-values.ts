/** Reads options that give values under names: `--set name=text`, `--set-json name=json`. */
import { UsageFailure } from "./failures.ts";
import type { Json } from "./http/json.ts";
import { parseJsonArgument } from "./read-argument.ts";

/** Throws `UsageFailure` for a value without a name, and for text that is not JSON. */
export function readNamedValues(
  option: string,
  { texts = [], jsons = [] }: { texts?: string[] | undefined; jsons?: string[] | undefined },
): [name: string, value: Json][] {
  return [
    ...texts.map((given) => splitAt(option, given)),
    ...jsons.map((given): [string, Json] => {
      const [name, text] = splitAt(`${option}-json`, given);
      return [name, parseJsonArgument(`${option}-json ${name}`, text)];
    }),
  ];
}

function splitAt(option: string, given: string): [name: string, value: string] {
  const at = given.indexOf("=");
  if (at < 1) throw new UsageFailure(`${option} takes name=value, not \`${given}\`.`);
  return [given.slice(0, at), given.slice(at + 1)];
}
