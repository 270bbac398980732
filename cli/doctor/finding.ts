/** Defines a finding of `busbar doctor`: what was checked, the result, and the cure. */

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
