/** Calls the operations of the catalog. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call }) {
    await call("listProviders");
    await call("getProvider", { path: { provider: "hubspot" } });
  },
};
