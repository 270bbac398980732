/** A list that is paged by a cursor and stays current: newest first, older rows on demand. */
import { useEffect, useMemo, useState } from "react";
import { ApiProblem, call, type Answer, type Input, type OperationId } from "./call.ts";
import { countNew, mergeRows } from "./live-rows.ts";
import { POLL_MS, useCall, useLastingError } from "./queries.ts";

interface PagedAnswer<Row> {
  results: readonly Row[];
  pagination: { done: boolean; nextPageToken?: string };
}

/** Operations that answer `{results, pagination}`. */
export type ListId = {
  [Id in OperationId]: Answer<Id> extends PagedAnswer<unknown> ? Id : never;
}[OperationId];

export type RowOf<Id extends ListId> = Answer<Id> extends { results: readonly (infer Row)[] } ? Row : never;

interface LiveList<Row> {
  /** Undefined until the first answer. */
  rows: readonly Row[] | undefined;
  error: Error | null;
  /** Why older rows could not be loaded. */
  olderError: Error | null;
  /** Rows that wait because the person has scrolled down. */
  newCount: number;
  showNew(): void;
  hasOlder: boolean;
  loadOlder(): void;
  loadingOlder: boolean;
  paused: boolean;
  setPaused(paused: boolean): void;
  retry(): void;
}

interface LiveListOptions<Row> {
  getId: (row: Row) => string;
  /** Returns whether a row is in progress; the list then refreshes more often. */
  isUnderWay?: (row: Row) => boolean;
}

/** `input` must not contain a page token. */
export function useLiveList<Id extends ListId>(
  operationId: Id,
  input: Input<Id>,
  { getId, isUnderWay }: LiveListOptions<RowOf<Id>>,
): LiveList<RowOf<Id>> {
  type Row = RowOf<Id>;
  const [paused, setPaused] = useState(false);
  const everyMs = (answer: Answer<Id> | undefined) => {
    if (paused) return false;
    const page = answer as PagedAnswer<Row> | undefined;
    return isUnderWay && page?.results.some(isUnderWay) ? POLL_MS.underWay : POLL_MS.list;
  };
  const newest = useCall(operationId, input, { everyMs });
  const page = newest.data as PagedAnswer<Row> | undefined;
  const key = JSON.stringify(input);
  const error = useLastingError(newest.error, page !== undefined, key);
  const older = useOlder<Id>(operationId, input, { getId, page, key });
  const seen = useSeen(older.rows, getId, key);
  return {
    rows: seen.visible,
    error,
    olderError: older.error,
    newCount: seen.newCount,
    showNew: seen.showNew,
    hasOlder: older.token !== undefined,
    loadOlder: older.load,
    loadingOlder: older.loading,
    paused,
    setPaused,
    retry: () => void newest.refetch(),
  };
}

/** The loaded part of the list: its rows, and the token of the next older page. */
interface Known<Row> {
  key: string;
  page: PagedAnswer<Row> | undefined;
  rows: readonly Row[] | undefined;
  token: string | undefined;
}

function useOlder<Id extends ListId>(
  operationId: Id,
  input: Input<Id>,
  { getId, page, key }: { getId: (row: RowOf<Id>) => string; page?: PagedAnswer<RowOf<Id>>; key: string },
) {
  type Row = RowOf<Id>;
  const [known, setKnown] = useState<Known<Row>>({ key, page: undefined, rows: undefined, token: undefined });
  const [loading, setLoading] = useState(false);
  const [failed, setFailed] = useState<{ key: string; error: Error }>();
  const isCurrent = known.key === key;
  if (!isCurrent || (page && page !== known.page)) setKnown(nextKnown(isCurrent ? known : undefined));

  function nextKnown(before: Known<Row> | undefined): Known<Row> {
    if (!page) return { key, page, rows: undefined, token: undefined };
    const rows = before?.rows ? mergeRows(page.results, before.rows, getId) : page.results;
    const keepsOlder = before?.rows !== undefined && rows.length > page.results.length;
    return { key, page, rows, token: keepsOlder ? before.token : page.pagination.nextPageToken };
  }

  const load = async () => {
    setLoading(true);
    setFailed(undefined);
    try {
      const next = (await call(operationId, {
        ...input,
        pageToken: known.token,
      })) as PagedAnswer<Row>;
      setKnown((now) => {
        if (now.key !== key) return now;
        const ids = new Set(now.rows?.map(getId));
        const added = next.results.filter((row) => !ids.has(getId(row)));
        return { ...now, rows: [...(now.rows ?? []), ...added], token: next.pagination.nextPageToken };
      });
    } catch (failure) {
      setFailed({ key, error: failure instanceof ApiProblem ? failure : new Error(String(failure)) });
    } finally {
      setLoading(false);
    }
  };
  return {
    rows: isCurrent ? known.rows : undefined,
    token: isCurrent ? known.token : undefined,
    load: () => void load(),
    loading,
    error: failed?.key === key ? failed.error : null,
  };
}

/** Scrolled further down than this, a person reads, and rows must not move. */
const AT_TOP_PX = 120;

const isAtTop = (): boolean => window.scrollY <= AT_TOP_PX;

/** Holds new rows back while the person has scrolled down. */
function useSeen<Row>(rows: readonly Row[] | undefined, getId: (row: Row) => string, key: string) {
  const [seen, setSeen] = useState<{ key: string; rows: readonly Row[] }>({ key, rows: [] });
  const ids = useMemo(() => new Set(seen.rows.map(getId)), [seen, getId]);
  const waits = rows !== undefined && seen.key === key && seen.rows.length > 0;
  const newCount = waits ? countNew(rows, ids, getId) : 0;
  const isHeld = newCount > 0 && !isAtTop();
  if (rows && !isHeld && (seen.key !== key || seen.rows !== rows)) setSeen({ key, rows });
  const showNew = () => {
    if (rows) setSeen({ key, rows });
    window.scrollTo({ top: 0 });
  };
  useEffect(() => {
    if (!isHeld || !rows) return;
    const onScroll = () => isAtTop() && setSeen({ key, rows });
    window.addEventListener("scroll", onScroll, { passive: true });
    return () => window.removeEventListener("scroll", onScroll);
  }, [isHeld, rows, key]);
  return { visible: isHeld ? rows?.slice(newCount) : rows, newCount: isHeld ? newCount : 0, showNew };
}
