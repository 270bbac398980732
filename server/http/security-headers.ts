/** Headers of every answer that limit what a browser may do with it. */
import type { ServerOptions } from "./server-options.ts";

const YEAR_SECONDS = 31_536_000;

export const securityHeaders = ({ isHttps }: Pick<ServerOptions, "isHttps">): Record<string, string> => ({
  "x-content-type-options": "nosniff",
  ...(isHttps?.() && { "strict-transport-security": `max-age=${YEAR_SECONDS}` }),
});
