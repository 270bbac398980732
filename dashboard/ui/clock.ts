/** The only place of the dashboard that asks for the time. */

export const nowMs = (): number => Date.now();
