/** The page that signs a person in and leads to where they wanted to go. */
import { useEffect, type JSX } from "react";
import { Stack, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { SkipLink } from "../../frame/frame.tsx";
import { SignInForm } from "../../frame/account/sign-in-form.tsx";
import classes from "./sign-in-page.module.css";

export function SignInPage(): JSX.Element {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const returnTo = toSafePath(search["returnTo"]);
  const navigate = useNavigate();
  const client = useQueryClient();
  useEffect(() => {
    document.title = "Sign in · Busbar";
  }, []);
  const onSignedIn = () => {
    client.clear();
    void navigate({ href: returnTo, replace: true });
  };
  return (
    <>
      <SkipLink />
      <header className={classes["head"]}>
        <span className={classes["mark"]} aria-hidden="true" />
        Busbar
      </header>
      <main id="content" tabIndex={-1} className={classes["main"]}>
        <Stack className={classes["card"]}>
          <Title order={1} tabIndex={-1}>
            Sign in
          </Title>
          <SignInForm returnTo={returnTo} onSignedIn={onSignedIn} />
        </Stack>
      </main>
    </>
  );
}

/** Only addresses of this site: they begin with one slash. */
const toSafePath = (path: string | undefined): string => (path && /^\/(?![/\\])/.test(path) ? path : "/");
