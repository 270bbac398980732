/** What a destination keeps secret: what the builder entered, and the keys that messages are signed with. */
import { randomBytes } from "node:crypto";
import { nowMs } from "../ground/clock.ts";
import type { Sealer } from "../ground/seal.ts";

export interface DestinationSecrets {
  /** As entered, checked against the type's schema. */
  secrets: Record<string, unknown>;
  /** The newest first; a replaced one signs until its time is over, so that receivers can change theirs. */
  signingKeys: { key: string; untilMs?: number }[];
}

interface Destination {
  id: string;
  projectId: string;
}

const place = ({ id, projectId }: Destination) => ({
  table: "destinations",
  column: "secrets_sealed",
  rowId: id,
  projectId,
});

export const sealDestinationSecrets = (
  sealer: Sealer,
  destination: Destination,
  secrets: DestinationSecrets,
): string => sealer.seal(JSON.stringify(secrets), place(destination));

export const openDestinationSecrets = (
  sealer: Sealer,
  destination: Destination & { secretsSealed: string },
): DestinationSecrets =>
  // What was sealed here was put together by the function above.
  JSON.parse(sealer.open(destination.secretsSealed, place(destination))) as DestinationSecrets;

/** A new signing key in the text form that verifying libraries take. */
export const newSigningKey = (): string => `whsec_${randomBytes(24).toString("base64")}`;

const OVERLAP_MS = 24 * 60 * 60 * 1000;

/** The secrets with a new signing key; the old ones go on for a day beside it. */
export function rotateSigningKey(secrets: DestinationSecrets): DestinationSecrets {
  const untilMs = nowMs() + OVERLAP_MS;
  const old = secrets.signingKeys
    .filter((key) => key.untilMs === undefined || key.untilMs > nowMs())
    .map((key) => ({ ...key, untilMs: key.untilMs ?? untilMs }));
  return { ...secrets, signingKeys: [{ key: newSigningKey() }, ...old.slice(0, 4)] };
}

/** The keys that sign at this moment, the newest first. */
export const keysInForce = ({ signingKeys }: DestinationSecrets): string[] =>
  signingKeys.filter(({ untilMs }) => untilMs === undefined || untilMs > nowMs()).map(({ key }) => key);
