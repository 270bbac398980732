/** Which objects of a provider can be read and written, as far as this is known without an account. */

/** The objects of a provider that Busbar knows, where it is not the account that knows them. */
export interface KnownObjects {
  /** The provider's module that has them; absent if the provider has none. */
  readonly module?: string;
  names(action: "read" | "write"): string[];
  /** Returns whether something can be done with the object: also one that is not named because only the account knows it. */
  can(action: "read" | "write", objectName: string): boolean;
  /** The fields of an object that are the same in every account; undefined where the account may have others, or nothing tells them. */
  fields?(objectName: string): string[] | undefined;
}
