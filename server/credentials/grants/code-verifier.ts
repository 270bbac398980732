/** Encrypts the PKCE verifier of an OAuth flow in progress, bound to its consent. */
import { placeIn, type Sealer } from "../../../ground/seal.ts";

interface Consent {
  id: string;
  projectId: string;
}

const toSealedPlace = placeIn("consents", "code_verifier_sealed");

export const sealVerifier = (sealer: Sealer, consent: Consent, verifier: string): string =>
  sealer.seal(verifier, toSealedPlace(consent));

export const openVerifier = (
  sealer: Sealer,
  consent: Consent & { codeVerifierSealed: string | null },
): string | undefined =>
  consent.codeVerifierSealed === null
    ? undefined
    : sealer.open(consent.codeVerifierSealed, toSealedPlace(consent));
