export { Busbar, BusbarError, type BusbarOptions, type ProblemCause } from "./busbar.js";
export { rows, type Page } from "./pages.js";
export { NoAnswerError, type RetryOptions } from "./retry.js";
export { readMessage, type Message } from "./webhooks.js";
export { signCustomerToken, type CustomerTokenOptions } from "./customer-tokens.js";
export type * from "./api/types.gen.js";
