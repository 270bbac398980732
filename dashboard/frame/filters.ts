/** The filters of a page live in its address. */
import { useCallback, useMemo } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";

export type Filters<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/**
 * Returns the values of these names in the address, and a function that replaces all of them; it resolves when the page has
 * the new address.
 */
export function useFilters<Name extends string>(
  ...names: readonly Name[]
): [Filters<Name>, (values: Readonly<Record<string, string | undefined>>) => Promise<void>] {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const list = names.join(" ");
  const values = useMemo(() => {
    const found: Partial<Record<Name, string>> = {};
    for (const name of list.split(" ") as Name[]) if (search[name]) found[name] = search[name];
    return found;
  }, [search, list]);
  const setValues = useCallback(
    (next: Readonly<Record<string, string | undefined>>) => {
      const others = Object.entries(search).filter(([name]) => !list.split(" ").includes(name));
      const chosen = Object.entries(next).filter(([, value]) => value);
      return navigate({ to: ".", search: Object.fromEntries([...others, ...chosen]), replace: true });
    },
    [navigate, search, list],
  );
  return [values, setValues];
}
