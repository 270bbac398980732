/** Options that select an installation, customer or destination, shared by several commands. */
import { InvalidArgumentError, Option, type Command } from "commander";
import { UsageFailure } from "../failures.ts";
import { DEFAULT_LIMIT, type Filters, type Resource } from "../resources/resource.ts";

const OPTIONS: Record<keyof Filters, () => Option> = {
  integration: () => new Option("--integration <idOrName>", "of this integration"),
  installation: () => new Option("--installation <id>", "of this installation"),
  group: () => new Option("-g, --group <groupRef>", "of this customer"),
  provider: () => new Option("--provider <key>", "of this provider"),
  destination: () => new Option("--destination <idOrName>", "of this destination"),
  topic: () => new Option("--topic <id>", "of this topic"),
  status: () => new Option("--status <status>", "with this status"),
  kind: () => new Option("--kind <kind>", "read, subscribe, schema or notification"),
  type: () => new Option("--type <type>", "of this type"),
  object: () => new Option("--object <name>", "on this object"),
  actor: () => new Option("--actor <id>", "that this key, person, customer or agent asked for"),
  record: () => new Option("--record <id>", "of the record with this id of the provider"),
  includeSecrets: () => new Option("--include-secrets", "show the signing key of a webhook"),
  limit: () =>
    new Option("--limit <n>", `maximum number of rows (${DEFAULT_LIMIT})`).argParser(
      parseWholeNumber(1, 10_000),
    ),
};

export function addFilters(command: Command, ...names: (keyof Filters)[]): Command {
  for (const name of names) command.addOption(OPTIONS[name]());
  return command;
}

/** Throws for a filter that the resource does not have: ignoring it would show a wrong result. */
export function requireKnownFilters(resource: Resource, filters: Filters): void {
  const known = resource.filters ?? [];
  const unknown = Object.keys(filters).find((name) => name in OPTIONS && !known.some((one) => one === name));
  if (unknown === undefined) return;
  const choice =
    known.length > 0 ? `filters: ${known.map((name) => `--${name}`).join(", ")}` : "there are none";
  throw new UsageFailure(`--${unknown} is not a filter for ${resource.plural}; ${choice}.`);
}

/** Returns a parser for an option's value. The option's name contains the unit. */
export const parseWholeNumber =
  (least: number, max: number) =>
  (value: string): number => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${max}.`);
  };

/** For options that may be given several times. */
export const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
