/** The icons, drawn on a grid of 16. All are decoration: the word beside them, or the button's name, has the meaning. */
import type { JSX } from "react";

const PATHS = {
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Zm3.4 7.9L14 14",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  chevron: "m4.5 6.5 3.5 3.5 3.5-3.5",
  up: "m4.5 9.5 3.5-3.5 3.5 3.5",
  right: "m6.5 4.5 3.5 3.5-3.5 3.5",
  person: "M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8Zm-5 5.5c.5-2.3 2.4-3.5 5-3.5s4.5 1.2 5 3.5",
  copy: "M6 5.5h7.5V14H6zM10.5 5.5V2.5H2.5V11H6",
  check: "m3 8.5 3.2 3L13 4.5",
  cross: "m4 4 8 8M12 4l-8 8",
  alert: "M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.8v.2",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3.2l2.2 1.3",
  dash: "M4 8h8",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "m5 3.5 7 4.5-7 4.5z",
  code: "m5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  external: "M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5",
  filter: "M2.5 3.5h11L9.5 8.5v4l-3 1v-5z",
  swap: "M4.5 6 8 2.5 11.5 6M4.5 10 8 13.5l3.5-3.5",
  plus: "M8 3v10M3 8h10",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
