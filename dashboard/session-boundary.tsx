/** Leads to the sign-in before the first page, and draws the frame around all others. */
import { useEffect, useState, type JSX } from "react";
import { Loader } from "@mantine/core";
import { Outlet, useRouter } from "@tanstack/react-router";
import { POLL_MS, useCall } from "./api/queries.ts";
import { useCommandKey } from "./frame/account/keys.ts";
import { Frame } from "./frame/frame.tsx";
import { ProblemView } from "./frame/problem-view.tsx";

export function SessionBoundary(): JSX.Element {
  const [isSearchWanted, setSearchWanted] = useState(false);
  // A session that ends later opens the dialog over the page instead.
  const { data, error, refetch } = useCall("getSession", {}, { staysFresh: true, everyMs: untilAnswered });
  if (error && !data) {
    return (
      <main>
        <ProblemView error={error} onRetry={() => void refetch()} />
      </main>
    );
  }
  if (data === undefined) return <Waiting onSearch={() => setSearchWanted(true)} />;
  if (data === null) return <ToSignIn />;
  return (
    <Frame beginsWithSearch={isSearchWanted}>
      <Outlet />
    </Frame>
  );
}

/** Ctrl K is kept: the palette is there only with the frame. */
function Waiting({ onSearch }: { onSearch: () => void }): JSX.Element {
  useCommandKey("k", onSearch);
  return (
    <main aria-busy="true" aria-label="Busbar">
      <Loader />
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
