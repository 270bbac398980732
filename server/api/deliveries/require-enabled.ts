/** Refuses to resend to a disabled destination. */
import { Problem } from "../../../ground/errors.ts";
import type { DestinationRow } from "../../store/destinations.ts";

/** Throws a 409 Problem for a disabled destination. */
export function requireEnabled({ name, disabledTime }: DestinationRow): void {
  if (!disabledTime) return;
  throw new Problem("conflict", {
    detail: `\`${name}\` is disabled. Enable it first: update its \`metadata.url\` or rotate its signing key.`,
  });
}
