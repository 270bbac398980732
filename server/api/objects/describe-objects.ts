/** Reads the metadata of several objects of an account, a few at a time. */
import type { ObjectMetadata } from "../../../connector-kit/fields.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { Problem } from "../../../ground/errors.ts";
import { describeObject } from "./object-metadata.ts";

/** Concurrent requests for objects; more would soon reach the provider's rate limits. */
const AT_ONCE = 4;

/** Returns metadata or refusal of each object: the failure of one does not affect the others. Throws other errors. */
export async function describeObjects(
  deps: Parameters<typeof describeObject>[0],
  target: Parameters<typeof describeObject>[1],
  objectNames: Iterable<string>,
): Promise<Map<string, ObjectMetadata | ProviderError | Problem>> {
  const described = new Map<string, ObjectMetadata | ProviderError | Problem>();
  const waiting = new Set(objectNames).values();
  const work = async (): Promise<void> => {
    for (const objectName of waiting) {
      described.set(objectName, await describeObject(deps, target, objectName).catch(toRefusal));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return described;
}

function toRefusal(error: unknown): ProviderError | Problem {
  if (error instanceof ProviderError || error instanceof Problem) return error;
  throw error;
}
