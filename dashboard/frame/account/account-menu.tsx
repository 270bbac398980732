/** The menu of the person: theme, account, signing out. */
import type { JSX } from "react";
import { ActionIcon, Menu, Modal, useMantineColorScheme } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useCall, useChange } from "../../api/queries.ts";
import { Icon } from "../../ui/icons.tsx";
import { ProblemView } from "../problem-view.tsx";
import classes from "../frame.module.css";

const SCHEMES = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
  { value: "auto", label: "As the system" },
] as const;

export function AccountMenu(): JSX.Element {
  const me = useCall("getMyInfo", {}).data;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { signOut, error, forget } = useSignOut();
  return (
    <>
      <Menu position="bottom-end" width={220} shadow="md">
        <Menu.Target>
          <ActionIcon aria-label="Account menu">
            <Icon name="person" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {me && <Menu.Label className="foreign">{getName(me.builder)}</Menu.Label>}
          <Menu.Item component={Link} to="/account">
            Account
          </Menu.Item>
          <Menu.Divider />
          {SCHEMES.map(({ value, label }) => (
            <Menu.Item
              key={value}
              role="menuitemradio"
              aria-checked={colorScheme === value}
              closeMenuOnClick={false}
              onClick={() => setColorScheme(value)}
              leftSection={
                <span className={classes["tick"]}>
                  {colorScheme === value && <Icon name="check" size={14} />}
                </span>
              }
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item component="a" href="/docs">
            API reference
          </Menu.Item>
          <Menu.Item onClick={signOut}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={error !== null} onClose={forget} title="You are still signed in">
        <ProblemView error={error} onRetry={signOut} />
      </Modal>
    </>
  );
}

const getName = (builder: { fullName?: string; primaryEmail?: string; id: string }): string =>
  builder.fullName ?? builder.primaryEmail ?? builder.id;

interface SignOut {
  signOut: () => void;
  /** Why the session could not be ended. */
  error: Error | null;
  forget: () => void;
}

function useSignOut(): SignOut {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutate, error, reset } = useChange("deleteSession");
  const signOut = () =>
    mutate(
      { sessionId: "current" },
      {
        onSuccess: () => {
          client.clear();
          void navigate({ to: "/sign-in" });
        },
      },
    );
  return { signOut, error, forget: reset };
}
