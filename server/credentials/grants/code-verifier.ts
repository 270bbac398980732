/** Encrypts the PKCE verifier of an OAuth flow in progress, bound to its consent. */
import type { Sealer, SealedPlace } from "../../../ground/seal.ts";

interface Consent {
  id: string;
  projectId: string;
}

const toSealedPlace = ({ id, projectId }: Consent): SealedPlace => ({
  table: "consents",
  column: "code_verifier_sealed",
  rowId: id,
  projectId,
});

export const sealVerifier = (sealer: Sealer, consent: Consent, verifier: string): string =>
  sealer.seal(verifier, toSealedPlace(consent));

export const openVerifier = (
  sealer: Sealer,
  consent: Consent & { codeVerifierSealed: string | null },
): string | undefined =>
  consent.codeVerifierSealed === null
    ? undefined
    : sealer.open(consent.codeVerifierSealed, toSealedPlace(consent));
