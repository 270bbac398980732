/** Recognizes a certificate that is signed by an authority that Node.js does not know, such as a company's own. */

/** Codes of Node.js. */
const CODES =
  /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)$/;

/** Returns the remedy if an error or one of its causes is about such a certificate. */
export function findAuthorityRemedy(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ("code" in at && CODES.test(String(at.code)))
      return "If the certificate authority is your own, name its certificate in the variable NODE_EXTRA_CA_CERTS, also for Busbar itself.";
  }
  return undefined;
}
