/** Every way a command ends without success, and the exit code that scripts see. */

/** Documented in docs/guide/command-line.md. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unreachable: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that the user can understand and fix; printed without a stack. */
export class Failure extends Error {
  override name = "Failure";
  readonly exitCode: ExitCode = EXIT.failed;
  /** Remedy, printed on a line of its own. */
  readonly remedy: string | undefined;

  constructor(message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.remedy = options.remedy;
  }
}

/** The command line is wrong: an unknown option, a missing argument. */
export class UsageFailure extends Failure {
  override name = "UsageFailure";
  override readonly exitCode = EXIT.usage;
}

/** Thrown when the server does not answer. */
export class Unreachable extends Failure {
  override name = "Unreachable";
  override readonly exitCode = EXIT.unreachable;
}

/** Thrown when everything is printed and only the exit code is left. */
export class Ended extends Failure {
  override name = "Ended";
  override readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode = EXIT.failed) {
    super("");
    this.exitCode = exitCode;
  }
}
