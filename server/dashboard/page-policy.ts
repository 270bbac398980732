/** Headers of the dashboard's page: what its browser may load, and from where. */

/**
 * Returns the headers of one answer. The nonce is for styles only, which dialogs and the editor add at run time. The policy
 * allows no other origin and no inline script.
 */
export const pagePolicy = (nonce: string): Record<string, string> => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  // The window of a consent keeps its opener, which waits for it to close.
  "cross-origin-opener-policy": "same-origin-allow-popups",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
});
