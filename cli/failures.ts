/** Every way a command ends without success, and the exit code that scripts see. */
import type { JsonObject } from "./http/json.ts";

/** Documented in docs/guide/command-line.md. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unreachable: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Something the person can understand and mend; printed without a stack. */
export class Failure extends Error {
  override name = "Failure";
  readonly exitCode: ExitCode = EXIT.failed;
  /** What to do about it, on a line of its own. */
  readonly remedy: string | undefined;

  constructor(message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.remedy = options.remedy;
  }
}

/** The command was called in a way that cannot work. */
export class UsageFailure extends Failure {
  override name = "UsageFailure";
  override readonly exitCode = EXIT.usage;
}

/** No answer came from the server. */
export class Unreachable extends Failure {
  override name = "Unreachable";
  override readonly exitCode = EXIT.unreachable;
}

/** The server said no; `problem` is its answer, empty when that was not a Problem. */
export class Refused extends Failure {
  override name = "Refused";
  readonly status: number;
  readonly problem: JsonObject;

  constructor(status: number, problem: JsonObject, message: string) {
    super(message);
    this.status = status;
    this.problem = problem;
  }
}

/** The command has told everything already and only the exit code is left to give. */
export class Ended extends Failure {
  override name = "Ended";
  override readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode = EXIT.failed) {
    super("");
    this.exitCode = exitCode;
  }
}
