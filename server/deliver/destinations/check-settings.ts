/** Checks a destination's settings against its type before anything is stored. */
import { Type, type TSchema } from "typebox";
import { DESTINATIONS } from "../../../destinations/index.gen.ts";
import type { AddressRules, DestinationType } from "../../../destination-kit/destination.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { refuseUnknownValue } from "../../../ground/member-problem.ts";
import { createValidator } from "../../http/validation.ts";

interface DestinationSettings {
  metadata: Record<string, unknown>;
  secrets: Record<string, unknown>;
}

/** Types that the API knows by name and that are not built, with their names for people. */
export const NOT_BUILT: Record<string, string> = {
  azureblob: "Azure Blob Storage",
  eventbridge: "Amazon EventBridge",
  gcs: "Cloud Storage",
  kafka: "Apache Kafka",
  sns: "Amazon SNS",
};

/** Finds a type by name. Throws a 501 Problem for a type that is not built, a 422 Problem for an unknown one. */
export function getDestinationType(type: string): DestinationType {
  const found = Object.hasOwn(DESTINATIONS, type) ? DESTINATIONS[type] : undefined;
  if (found) return found;
  const built = Object.keys(DESTINATIONS).join(", ");
  if (Object.hasOwn(NOT_BUILT, type)) {
    throw new Problem("not-built", {
      detail: `Destinations of the type \`${type}\` are not built yet. These are: ${built}.`,
      remedy: "Use a webhook and forward from there, or another type.",
    });
  }
  throw refuseUnknownValue("type", type, Object.keys(DESTINATIONS));
}

const checks = new Map<string, (value: unknown) => unknown>();

/**
 * Checks settings and returns the members that the type knows. `prefix` is their place in the body. Throws a 400 Problem
 * for a wrong shape and a 422 Problem for other faults.
 */
export function checkSettings(
  type: DestinationType,
  settings: DestinationSettings,
  network: AddressRules,
  prefix = "",
): DestinationSettings {
  const check = checks.get(type.type) ?? compile(type);
  checks.set(type.type, check);
  try {
    check(settings);
  } catch (error) {
    throw error instanceof Problem && prefix ? prefixIssueNames(error, prefix) : error;
  }
  const known = {
    metadata: pickDeclared(type.config.properties, settings.metadata),
    secrets: pickDeclared(type.secrets.properties, settings.secrets),
  };
  const faults = type.check({ config: known.metadata, secrets: known.secrets }, network);
  const [first] = faults;
  if (!first) return known;
  throw new Problem("semantically-invalid", {
    detail: `${prefix}${first.name}: ${first.detail}`,
    issues: faults.map(({ name, detail }): Issue => ({ in: "body", name: `${prefix}${name}`, detail })),
  });
}

const compile = (type: DestinationType) =>
  createValidator(Type.Object({ metadata: type.config, secrets: type.secrets }), "body");

const pickDeclared = (
  properties: Record<string, TSchema>,
  values: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => Object.hasOwn(properties, name) && value !== null),
  );

function prefixIssueNames(problem: Problem, prefix: string): Problem {
  const { detail, issues, ...rest } = problem.options;
  return new Problem(problem.slug, {
    ...rest,
    detail: `${prefix}${detail}`,
    issues: issues?.map((issue) => ({ ...issue, name: `${prefix}${issue.name}` })),
  });
}
