/** Builds the base address of a connection's calls from the catalog and the connection's metadata. */
import { fillBaseUrl, TemplateError } from "../../connector-kit/provider/template.ts";
import { listAddressValues } from "../credentials/stored/provider-metadata.ts";
import type { Egress } from "../egress/egress.ts";
import { buildUnusableError, type LiveConnection } from "./live-connection.ts";

type ReadBaseAddress = (connection: LiveConnection, moduleKey?: string) => URL;

/**
 * Returns a function that builds base addresses, each once: a connection never changes, another one replaces it. `moduleKey`
 * selects the address of one of the provider's modules. Throws `ProviderError` (`forbidden`).
 */
export function openBaseAddresses(deps: { egress: Egress }): ReadBaseAddress {
  const known = new WeakMap<LiveConnection, Map<string | undefined, URL>>();
  return (connection, moduleKey) => {
    const ofModules = known.get(connection) ?? new Map<string | undefined, URL>();
    known.set(connection, ofModules);
    const url = ofModules.get(moduleKey) ?? buildBaseAddress(deps, connection, moduleKey);
    ofModules.set(moduleKey, url);
    return url;
  };
}

/** Throws `ProviderError` (`forbidden`). */
export function buildBaseAddress(
  deps: { egress: Egress },
  connection: LiveConnection,
  moduleKey: string | undefined,
): URL {
  const values = listAddressValues(connection);
  try {
    return fillBaseUrl(connection.provider, {
      values,
      moduleKey,
      allowPlainHttp: deps.egress.allowsPlainHttp,
    });
  } catch (error) {
    if (error instanceof TemplateError) {
      throw buildUnusableError(
        `The address of ${connection.provider.name} cannot be built: ${error.message}.`,
        error,
      );
    }
    throw error;
  }
}
