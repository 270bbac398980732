/** The version of this Busbar. */
import self from "../package.json" with { type: "json" };

export const VERSION: string = self.version;
