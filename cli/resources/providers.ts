/** Providers as a resource: the project's own, and the catalog. */
import { encodeStep } from "../http/api.ts";
import { isObject, requireObject, requireObjects, getValueAt } from "../http/json.ts";
import { removeAt, text, type Resource } from "./resource.ts";

export const PROVIDERS: Resource = {
  plural: "providers",
  singular: "provider",
  columns: {
    KEY: text("name"),
    NAME: text("displayName"),
    AUTHENTICATION: text("authType"),
    CAN: (row) =>
      ["read", "write", "subscribe", "proxy"]
        .filter((action) => getValueAt(row, `support.${action}`) === true)
        .join(", "),
  },
  // The project's own come first; the catalog has some hundred.
  async list(deps) {
    const own = requireObjects(await deps.inProject("GET", "/providers"));
    const catalog = requireObject(await deps.api("GET", "/v1/providers"));
    return [...own.map((one) => getValueAt(one, "provider")), ...Object.values(catalog)].filter(isObject);
  },
  get: async (deps, name) =>
    requireObject(
      name.startsWith("x-")
        ? await deps.inProject("GET", `/providers/${encodeStep(name)}`)
        : await deps.api("GET", `/v1/providers/${encodeStep(name)}`),
    ),
  remove: removeAt("/providers"),
};
