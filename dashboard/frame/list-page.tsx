/** A page with one list: filters in the address, a live table, older rows, and its empty states. */
import type { JSX, ReactNode } from "react";
import { Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Input } from "../api/call.ts";
import { useLiveList, type ListId, type RowOf } from "../api/live-list.ts";
import { DataTable, type Column } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { FilterBar, type FilterField } from "../ui/filter-bar.tsx";
import { Icon } from "../ui/icons.tsx";
import { Section } from "../ui/section.tsx";
import { isReportedByBar } from "./away-bar.tsx";
import { useFilters } from "./data/filters.ts";
import { Page } from "./page.tsx";
import { ProblemView } from "./problem-view.tsx";
import classes from "./list-page.module.css";

interface ListPageProps<Id extends ListId> extends Omit<LiveTableProps<Id>, "input" | "name"> {
  /** Title of the page, and accessible name of the table. */
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  /** Path parameters and fixed filters. */
  input: Input<Id>;
}

export function ListPage<Id extends ListId>({
  title,
  about,
  actions,
  ...list
}: ListPageProps<Id>): JSX.Element {
  return (
    <Page title={title} about={about} actions={actions}>
      <LiveTable {...list} name={title} />
    </Page>
  );
}

interface LiveTableProps<Id extends ListId> {
  /** Accessible name of the table. */
  name: string;
  operationId: Id;
  input: Input<Id>;
  columns: readonly Column<RowOf<Id>>[];
  getId: (row: RowOf<Id>) => string;
  onOpen?: (row: RowOf<Id>) => void;
  /** Shown as fields; their names are those of the operation. */
  filters?: readonly FilterField[];
  /** Further filters that only links set, such as `installationId`. */
  moreFilters?: readonly string[];
  isUnderWay?: (row: RowOf<Id>) => boolean;
  /** Shows the name, on a page with several tables. */
  heading?: boolean;
  /** An `EmptyState`, for a list without filters. */
  empty: ReactNode;
  /** Why rows may be missing that somebody looks for by the filters. */
  notFound?: string;
}

/** The list without a page around it, for a tab or a part of a page. */
export function LiveTable<Id extends ListId>(props: LiveTableProps<Id>): JSX.Element {
  const {
    name,
    operationId,
    columns,
    getId,
    onOpen,
    filters = [],
    moreFilters = [],
    isUnderWay,
    empty,
  } = props;
  const [values, setValues] = useFilters(...filters.map((field) => field.name), ...moreFilters);
  // Filters of the address have the names of the operation's query.
  const input = { ...props.input, ...values } as Input<Id>;
  const list = useLiveList(operationId, input, { getId, isUnderWay });
  const isFiltered = Object.keys(values).length > 0;
  return (
    <>
      {(filters.length > 0 || isFiltered) && (
        <FilterBar fields={filters} values={values} onChange={(next) => void setValues(next, "step")} />
      )}
      {list.error && !(list.rows && isReportedByBar(list.error)) && (
        <ProblemView error={list.error} onRetry={list.retry} />
      )}
      {list.rows === undefined ? (
        !list.error && <TableSkeleton />
      ) : (
        <Section flush>
          {list.rows.length > 0 ? (
            <>
              <Bar
                heading={props.heading ? name : undefined}
                count={list.newCount}
                onShow={list.showNew}
                paused={list.paused}
                onPause={list.setPaused}
              />
              <DataTable name={name} columns={columns} rows={list.rows} getId={getId} onOpen={onOpen} />
            </>
          ) : isFiltered ? (
            <FilteredEmpty onClear={() => void setValues({}, "step")} why={props.notFound} />
          ) : (
            empty
          )}
        </Section>
      )}
      <ProblemView error={list.olderError} onRetry={list.loadOlder} />
      {list.hasOlder && (
        <Group justify="center">
          <Button variant="default" onClick={list.loadOlder} loading={list.loadingOlder}>
            Older
          </Button>
        </Group>
      )}
    </>
  );
}

interface FilteredEmptyProps {
  onClear: () => void;
  why?: string;
}

export const FilteredEmpty = ({ onClear, why }: FilteredEmptyProps): JSX.Element => (
  <EmptyState
    title="Nothing fits these filters"
    action={
      <Button variant="default" onClick={onClear}>
        Show all
      </Button>
    }
  >
    {why ?? "There may be rows without them."}
  </EmptyState>
);

export const TableSkeleton = (): JSX.Element => (
  <Stack gap={8}>
    {[1, 2, 3, 4, 5].map((line) => (
      <Skeleton key={line} height={28} />
    ))}
  </Stack>
);

interface BarProps {
  heading: string | undefined;
  count: number;
  onShow: () => void;
  paused: boolean;
  onPause: (paused: boolean) => void;
}

/** New rows that wait, and the switch that stops the list from moving. */
const Bar = ({ heading, count, onShow, paused, onPause }: BarProps): JSX.Element => (
  <Group px={12} py={4} mih={36} wrap="nowrap" className={classes["bar"]}>
    {heading !== undefined && <Title order={2}>{heading}</Title>}
    <div role="status">
      {count > 0 ? (
        <Button size="compact-sm" variant="light" onClick={onShow}>
          {count} new
        </Button>
      ) : (
        <Text size="xs" c="dimmed">
          {paused ? "Paused" : "Live"}
        </Text>
      )}
    </div>
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      ml="auto"
      leftSection={<Icon name={paused ? "play" : "pause"} size={14} />}
      onClick={() => onPause(!paused)}
    >
      {paused ? "Resume" : "Pause"}
    </Button>
  </Group>
);
