/** Checks and compares Salesforce record ids, which have forms of 15 and 18 characters. */
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";

const CHECK_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";

/** Returns why a text cannot be a record id; undefined if it can. */
export const findIdFault = (id: string | undefined): ProviderError | undefined =>
  id !== undefined && /^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/.test(id)
    ? undefined
    : new ProviderError({
        kind: "invalid",
        code: "MALFORMED_ID",
        message: `"${id ?? ""}" is not a Salesforce record id: those have 15 or 18 letters and digits`,
      });

/** Returns the form of 15 characters, which both forms of an id share. */
export const shortenId = (id: string): string => id.slice(0, 15);

/**
 * Returns the form of 18 characters: the 15, which are case-sensitive, and three that encode which of them are
 * capitals, so that the id stays unique in any case.
 */
export function toLongId(id: string): string {
  const short = shortenId(id);
  const check = [0, 5, 10].map((start) => {
    const letters = Array.from(short.slice(start, start + 5));
    const number = letters.reduce((sum, letter, bit) => sum + (/[A-Z]/.test(letter) ? 2 ** bit : 0), 0);
    return CHECK_DIGITS.charAt(number);
  });
  return short + check.join("");
}
