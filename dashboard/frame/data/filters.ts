/** The filters of a page live in its address. */
import { useCallback, useMemo } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";

type Filters<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/**
 * Replaces all filters of a page; it resolves when the page has the new address. `"step"` leaves a step in the browser's history,
 * so that Back leads to the filters of before.
 */
type SetFilters = (
  values: Readonly<Record<string, string | undefined>>,
  history?: "step" | "same",
) => Promise<void>;

/** Returns the values of these names in the address, and the function that replaces all of them. */
export function useFilters<Name extends string>(...names: readonly Name[]): [Filters<Name>, SetFilters] {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const list = names.join(" ");
  const values = useMemo(() => {
    const found: Partial<Record<Name, string>> = {};
    for (const name of list.split(" ") as Name[]) if (search[name]) found[name] = search[name];
    return found;
  }, [search, list]);
  const setValues = useCallback<SetFilters>(
    (next, history = "same") => {
      const others = Object.entries(search).filter(([name]) => !list.split(" ").includes(name));
      const chosen = Object.entries(next).filter(([, value]) => value);
      const isSame =
        chosen.length === Object.keys(values).length &&
        chosen.every(([name, value]) => search[name] === value);
      return navigate({
        to: ".",
        search: Object.fromEntries([...others, ...chosen]),
        replace: history === "same" || isSame,
      });
    },
    [navigate, search, list, values],
  );
  return [values, setValues];
}
