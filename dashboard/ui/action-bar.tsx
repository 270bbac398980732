/** The buttons below a long editor; they stay in sight at the window's edge until their own place is reached. */
import type { JSX, ReactNode } from "react";
import { Group } from "@mantine/core";
import classes from "./action-bar.module.css";

export const ActionBar = ({ children }: { children: ReactNode }): JSX.Element => (
  <Group align="flex-start" className={classes["bar"]} data-action-bar>
    {children}
  </Group>
);
