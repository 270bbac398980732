/** Which records of an object are read, and whether the initial read has conditions of its own. */
import type { JSX } from "react";
import { NativeSelect } from "@mantine/core";
import type { Schemas } from "../../../api.gen.ts";
import type { Backfill, Filter, Period, ReadObject } from "./config-content.ts";
import { FilterRows } from "./filter-rows.tsx";

interface ReadFiltersProps {
  chosen: ReadObject;
  /** The manifest's period of the initial read. */
  manifest: Period | undefined;
  fields: Readonly<Record<string, Schemas["FieldMetadata"]>>;
  mayFilter: boolean;
  findIssue: (member: string) => string | undefined;
  onFilters: (filters: readonly Filter[] | undefined) => void;
  onBackfill: (backfill: Backfill) => void;
}

export function ReadFilters(props: ReadFiltersProps): JSX.Element | null {
  const { chosen, manifest, fields, mayFilter, findIssue, onFilters, onBackfill } = props;
  const { fieldFilters = [], backfill } = chosen;
  const initial = backfill?.fieldFilters;
  // Stored filters can be removed even if the provider cannot filter.
  if (!mayFilter && fieldFilters.length === 0 && initial === undefined) return null;
  const period = backfill?.defaultPeriod ?? manifest;
  const hasInitialRead = period?.fullHistory === true || (period?.days ?? 0) > 0;
  const setInitial = (filters: readonly Filter[] | undefined) => {
    const { fieldFilters: _before, ...others } = { ...backfill, defaultPeriod: period ?? { days: 0 } };
    onBackfill(filters ? { ...others, fieldFilters: filters } : others);
  };
  const own: readonly Filter[] = [{ fieldName: "", operator: "eq", value: "" }];
  return (
    <>
      <FilterRows
        title="Read only records with"
        filters={fieldFilters}
        fields={fields}
        issueAt={(place) => findIssue(`fieldFilters${place}`)}
        onFilters={(filters) => onFilters(filters.length > 0 ? filters : undefined)}
      />
      {(hasInitialRead || initial) && (
        <NativeSelect
          label="Conditions of the initial read"
          maw={480}
          data={[
            { value: "same", label: "the same" },
            { value: "none", label: "none: all records" },
            { value: "own", label: "others" },
          ]}
          value={initial === undefined ? "same" : initial.length === 0 ? "none" : "own"}
          onChange={({ currentTarget: { value } }) =>
            setInitial(value === "same" ? undefined : value === "none" ? [] : own)
          }
        />
      )}
      {initial && initial.length > 0 && (
        <FilterRows
          title="Initially read only records with"
          filters={initial}
          fields={fields}
          issueAt={(place) => findIssue(`backfill.fieldFilters${place}`)}
          onFilters={setInitial}
        />
      )}
    </>
  );
}
