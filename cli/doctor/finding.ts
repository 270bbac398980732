/** One line of `busbar doctor`: what was checked, how it stands, and what to do about it. */

export interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  cure?: string;
}

export const good = (check: string, detail: string): Finding => ({ check, ok: true, detail });

export const bad = (check: string, detail: string, cure: string): Finding => ({
  check,
  ok: false,
  detail,
  cure,
});
