/** Finds out which of the requested fields a provider refused. */
import { ProviderError } from "./provider-error.ts";

/** Returns the error with the field's name as `code` if its message names one of `names`, else the error itself. */
export function withRefusedField(error: ProviderError, names: string[]): ProviderError {
  const said = new Set(error.message.toLowerCase().match(/[a-z0-9_.]+/g));
  const refused = names.find((name) => said.has(name.toLowerCase()));
  return refused === undefined ? error : buildRefusedField(refused, error.message, error);
}

/** Returns the error for a field that cannot be read or compared. */
export const buildRefusedField = (name: string, message: string, cause?: ProviderError): ProviderError =>
  new ProviderError({
    kind: "invalid",
    code: name,
    message,
    status: cause?.status,
    rawResponse: cause?.rawResponse,
    cause,
  });
