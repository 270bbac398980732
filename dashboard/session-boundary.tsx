/** Leads to the sign-in before the first page, and draws the frame around all others. */
import { useEffect, useState, type JSX } from "react";
import { Loader } from "@mantine/core";
import { Outlet, useRouter } from "@tanstack/react-router";
import { flushSync } from "react-dom";
import { POLL_MS, useCall } from "./api/queries.ts";
import { useCommandKey } from "./frame/account/keys.ts";
import { Frame } from "./frame/frame.tsx";
import { takeFocus } from "./frame/palette/palette.tsx";
import { ProblemView } from "./frame/problem-view.tsx";

export function SessionBoundary(): JSX.Element {
  const [search, setSearch] = useState<string>();
  // A session that ends later opens the dialog over the page instead.
  const { data, error, refetch } = useCall("getSession", {}, { staysFresh: true, everyMs: untilAnswered });
  if (error && !data) {
    return (
      <main>
        <ProblemView error={error} onRetry={() => void refetch()} />
      </main>
    );
  }
  if (data === undefined) return <Waiting search={search} onSearch={setSearch} />;
  if (data === null) return <ToSignIn />;
  return (
    <Frame searchAtFirst={search}>
      <Outlet />
    </Frame>
  );
}

interface WaitingProps {
  search: string | undefined;
  onSearch: (text: string) => void;
}

/** Ctrl K is kept, with what is typed behind it: the palette is there only with the frame. */
function Waiting({ search, onSearch }: WaitingProps): JSX.Element {
  useCommandKey("k", () => flushSync(() => onSearch(search ?? "")));
  return (
    <main aria-busy="true" aria-label="Busbar">
      <Loader />
      {search !== undefined && (
        <input
          aria-label="Search pages, ids and names"
          className="visually-hidden"
          value={search}
          onChange={(event) => onSearch(event.currentTarget.value)}
          ref={takeFocus}
        />
      )}
    </main>
  );
}

/** Whoever opens the page while Busbar starts sees it as soon as it answers. */
const untilAnswered = (session: unknown): number | false => (session === undefined ? POLL_MS.list : false);

function ToSignIn(): JSX.Element {
  const { history } = useRouter();
  useEffect(() => {
    const { pathname, search } = window.location;
    const returnTo = pathname === "/" ? "" : `?${new URLSearchParams({ returnTo: pathname + search })}`;
    history.replace(`/sign-in${returnTo}`);
  }, [history]);
  return <main aria-busy="true" aria-label="Busbar" />;
}
