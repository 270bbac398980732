/** Encrypts the PKCE verifier of an OAuth flow in progress, bound to its session. */
import type { Sealer, SealedPlace } from "../../ground/seal.ts";

interface Session {
  id: string;
  projectId: string;
}

const place = ({ id, projectId }: Session): SealedPlace => ({
  table: "oauth_sessions",
  column: "code_verifier_sealed",
  rowId: id,
  projectId,
});

export const sealVerifier = (sealer: Sealer, session: Session, verifier: string): string =>
  sealer.seal(verifier, place(session));

export const openVerifier = (
  sealer: Sealer,
  session: Session & { codeVerifierSealed: string | null },
): string | undefined =>
  session.codeVerifierSealed === null ? undefined : sealer.open(session.codeVerifierSealed, place(session));
