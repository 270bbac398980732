/** Caches answers of the API for the components; the key is the operation id with its input. */
import { useState } from "react";
import {
  keepPreviousData,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import { ApiProblem, call, type Answer, type Input, type OperationId } from "./call.ts";

/** How often a visible page requests its data again. Hidden pages request nothing. */
export const POLL_MS = { list: 3_000, underWay: 1_000, overview: 30_000 } as const;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 1_000,
        gcTime: 300_000,
        retry: (count, error) => isWorthRetrying(error) && count < 1,
        retryDelay: 1_000,
        // The browser's idea of being offline says nothing about a server on the same machine.
        networkMode: "always",
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: "always" },
    },
  });
}

const isWorthRetrying = (error: unknown): boolean => error instanceof ApiProblem && error.problem.retryable;

interface CallOptions<Data> {
  /** Time between requests while the page is visible. A function decides by the last answer. */
  everyMs?: number | false | ((data: Data | undefined) => number | false);
  enabled?: boolean;
  /** The answer is loaded once, and again only after it was forgotten. */
  staysFresh?: boolean;
  /** Shows the answer to the last input until that to a new one is there, for a period that moves on. */
  keepsPrevious?: boolean;
}

/** Calls an operation that only reads, and keeps its answer. The error is an `ApiProblem`. */
export function useCall<Id extends OperationId>(
  operationId: Id,
  input: Input<Id>,
  {
    everyMs = false,
    enabled = true,
    staysFresh = false,
    keepsPrevious = false,
  }: CallOptions<Answer<Id>> = {},
): UseQueryResult<Answer<Id>> {
  return useQuery<Answer<Id>>({
    queryKey: [operationId, input],
    // An empty answer is null, because the cache takes no undefined.
    queryFn: async ({ signal }) => (await call(operationId, input, { signal })) ?? (null as Answer<Id>),
    enabled,
    ...(staysFresh && { staleTime: Number.POSITIVE_INFINITY }),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    refetchInterval: typeof everyMs === "function" ? ({ state }) => everyMs(state.data) : everyMs,
  });
}

/**
 * Returns the error of a call. Before its first answer the error lasts while the call is repeated, so that the page does not
 * change with every attempt.
 */
export function useLastingError(error: Error | null, isAnswered: boolean, key: string): Error | null {
  const [last, setLast] = useState({ key, error });
  const lasting = isAnswered ? null : (error ?? (last.key === key ? last.error : null));
  if (last.key !== key || last.error !== lasting) setLast({ key, error: lasting });
  return isAnswered ? error : lasting;
}

/**
 * Returns a function that changes something, with its state. Afterwards the answers of `forget` are asked for again; name
 * every operation whose answer the change touches.
 */
export function useChange<Id extends OperationId>(
  operationId: Id,
  { forget = [] }: { forget?: readonly OperationId[] } = {},
): UseMutationResult<Answer<Id>, Error, Input<Id>> {
  const client = useQueryClient();
  return useMutation<Answer<Id>, Error, Input<Id>>({
    mutationFn: (input) => call(operationId, input),
    onSuccess: () =>
      Promise.all(forget.map((id) => client.invalidateQueries({ queryKey: [id] }))).then(() => undefined),
  });
}

/** Returns the sentence about one member of the body, for the field it belongs to. */
export function findIssue(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  return error.problem.issues?.find((issue) => issue.name === name)?.detail;
}

/** Returns the sentence about the first wrong entry of a list in the body, with the entry. */
export function findEntryIssue(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  const issue = error.problem.issues?.find((one) => one.name === name || one.name.startsWith(`${name}[`));
  if (!issue) return undefined;
  return typeof issue.value === "string" ? `${issue.value}: ${issue.detail}` : issue.detail;
}
