/** Secrets of a destination: those that the builder entered, and the keys that sign messages. */
import { randomBytes } from "node:crypto";
import { nowMs } from "../../../ground/clock.ts";
import { placeIn, type Sealer } from "../../../ground/seal.ts";

export interface DestinationSecrets {
  /** Secrets as entered, checked against the type's schema. */
  secrets: Record<string, unknown>;
  /** Newest first. A replaced key signs until `untilMs`, so that receivers have time to change theirs. */
  signingKeys: { key: string; untilMs?: number }[];
}

interface Destination {
  id: string;
  projectId: string;
}

const toSealedPlace = placeIn("destinations", "secrets_sealed");

export const sealDestinationSecrets = (
  sealer: Sealer,
  destination: Destination,
  secrets: DestinationSecrets,
): string => sealer.seal(JSON.stringify(secrets), toSealedPlace(destination));

export const openDestinationSecrets = (
  sealer: Sealer,
  destination: Destination & { secretsSealed: string },
): DestinationSecrets =>
  // Sealed by the function above.
  JSON.parse(sealer.open(destination.secretsSealed, toSealedPlace(destination))) as DestinationSecrets;

/** Generates a signing key in the text form of the Standard Webhooks libraries. */
export const newSigningKey = (): string => `whsec_${randomBytes(24).toString("base64")}`;

const OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Adds a new signing key; the old ones also sign for another day. */
export function rotateSigningKey(secrets: DestinationSecrets): DestinationSecrets {
  const untilMs = nowMs() + OVERLAP_MS;
  const old = secrets.signingKeys
    .filter((key) => key.untilMs === undefined || key.untilMs > nowMs())
    .map((key) => ({ ...key, untilMs: key.untilMs ?? untilMs }));
  return { ...secrets, signingKeys: [{ key: newSigningKey() }, ...old.slice(0, 4)] };
}

/** Returns the keys that sign now, newest first. */
export const listActiveKeys = ({ signingKeys }: DestinationSecrets): string[] =>
  signingKeys.filter(({ untilMs }) => untilMs === undefined || untilMs > nowMs()).map(({ key }) => key);
