/** Carries out one proxied call: streams both bodies, and holds an answer back while it may still be replaced. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { signRequest, UnsignableRequest } from "../../connector-kit/provider/sign-request.ts";
import { toEgressError } from "../egress/egress-error.ts";
import type { Egress } from "../egress/egress.ts";
import type { WorkIds } from "../../ground/current-work.ts";
import { Problem } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import { toProvider } from "./pass-headers.ts";
import { ProviderResponseStream } from "./provider-response-stream.ts";
import type { RequestHead } from "./read-head.ts";
import { toProxyProblem, toEgressProblem, refuse, type RefusalDeps } from "./refuse.ts";
import { CallerGone, Upload } from "./request-body.ts";
import { joinTargetPath } from "./target-path.ts";
import { listWorkIds, type Target } from "./target.ts";
import type { Targets } from "./targets.ts";
import type { Throttle } from "./throttle.ts";

export interface ExchangeDeps extends RefusalDeps {
  egress: Pick<Egress, "dispatcher">;
  targets: Pick<Targets, "refresh" | "answered">;
  throttle: Throttle;
  log: Log;
  /** Timeout until the provider's answer begins. */
  answerTimeoutMs: number;
  /** Timeout between two pieces of the answer, or of the caller's body. */
  idleTimeoutMs: number;
}

export interface ProxyCall {
  request: IncomingMessage;
  response: ServerResponse;
  head: RequestHead;
  target: Target;
  /** Id for an answer that has no request id of the provider. */
  requestId: string;
  /** The caller knows the call by `requestId`, whatever the provider answers. */
  isNamed: boolean;
  /** The target of the request line to the provider. */
  path: string;
  /** Never an `Upload` where requests are signed. */
  body: Buffer | Upload | undefined;
}

/**
 * States: sent (waiting for the answer) → held (collecting an answer that may be replaced, or whose body decides what
 * it means) → passing → over. A held 401 returns to sent once, with another token.
 */
export class ProxyExchange implements Dispatcher.DispatchHandler {
  readonly #deps: ExchangeDeps;
  readonly #call: ProxyCall;
  #target: Target;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: ProviderResponseStream | undefined;
  #sent = false;
  #replayed = false;
  /** The caller left or was refused: nothing more may be sent to it. */
  #over = false;

  get #throttles(): boolean {
    return this.#call.head.mode === "throttle";
  }

  constructor(deps: ExchangeDeps, call: ProxyCall) {
    this.#deps = deps;
    this.#call = call;
    this.#target = call.target;
    this.requestId = call.requestId;
  }

  /** The header `X-Request-Id` of the answer: the provider's, otherwise Busbar's. */
  requestId: string;
  /** Whether Busbar has refused the call. */
  refused = false;

  /** Bytes of the answer's body that were passed to the caller. */
  get bytesDown(): number {
    return this.#answer?.bytes ?? 0;
  }

  start(): void {
    this.#send(this.#call.body, this.#call.path);
  }

  #send(body: Buffer | Upload | undefined, path: string): void {
    const { head, request } = this.#call;
    const { origin, signer } = this.#target;
    const headers = toProvider(head, this.#target);
    if (!signer || body instanceof Upload) return this.#dispatch(body, path, headers);
    const method = request.method ?? "GET";
    signRequest(signer, { method, host: new URL(origin).host, path, headers, body })
      .then((signed) => {
        if (!this.#over) this.#dispatch(body, signed.path, [...signed.headers]);
      })
      .catch((error: unknown) => {
        if (!this.#over) this.#refuseUnsigned(error);
      });
  }

  #dispatch(body: Buffer | Upload | undefined, path: string, headers: string[]): void {
    const { request, head } = this.#call;
    const target = this.#target;
    if (body instanceof Upload && typeof head.body === "number")
      headers.push("content-length", String(head.body));
    this.#sent = false;
    this.#answer = undefined;
    this.#deps.egress.dispatcher.dispatch(
      {
        origin: target.origin,
        path,
        method: request.method ?? "GET",
        headers,
        body,
        headersTimeout: this.#deps.answerTimeoutMs,
        bodyTimeout: this.#deps.idleTimeoutMs,
      },
      this,
    );
  }

  /** Call it when the caller's response closes: ends the call to the provider unless it is over. */
  close(): void {
    const { response, body } = this.#call;
    if (response.writableFinished || this.#over) return;
    this.#over = true;
    const gone = new CallerGone();
    if (body instanceof Upload) body.destroy(gone);
    this.#controller?.abort(gone);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#sent = true;
    if (this.#over) controller.abort(new CallerGone());
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    parsed: IncomingHttpHeaders,
    reason = "",
  ): void {
    // Only early hints (103) are passed on: the proxy itself sends 100, and accepts no upgrade.
    if (status === 103) return this.#passHints(parsed.link);
    if (status < 200) return;
    const raw = controller.rawHeaders;
    const start = { status, reason, parsed, raw: areBytes(raw) ? raw : [] };
    const answer = new ProviderResponseStream(this.#call.response, controller, start);
    this.#answer = answer;
    const given = parsed["x-request-id"];
    const { isNamed, requestId } = this.#call;
    this.requestId = typeof given === "string" && !isNamed ? given : requestId;
    if (given === undefined) answer.name(this.requestId);
    this.#deps.targets.answered(this.#target, status);
    if (status === 401 && this.#mayRefresh()) {
      if (this.#replayable() !== "no") return answer.hold();
      this.#refreshInBackground();
    }
    if (this.#throttles) {
      if (this.#deps.throttle.needsBody(this.#target, status)) return answer.hold();
      answer.add(this.#deps.throttle.judge(this.#target, answer.forJudging()));
    }
    answer.begin();
  }

  /** A proxy forwards interim answers (RFC 9110, 15.2), but not to callers of HTTP/1.0, who know none. */
  #passHints(link: string | string[] | undefined): void {
    const { response, request } = this.#call;
    if (link === undefined || this.#over || response.headersSent || request.httpVersion !== "1.1") return;
    try {
      response.writeEarlyHints({ link });
    } catch {
      // Node refuses malformed links. Nothing is lost: the final answer repeats the header.
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#answer?.isHeld) return this.#answer?.write(chunk);
    // Too long to be an error worth reading: pass it on unread.
    if (!this.#answer.collect(chunk)) this.#release(this.#answer);
  }

  onResponseEnd(): void {
    const answer = this.#answer;
    if (!answer) return;
    if (!answer.isHeld) return answer.end();
    if (answer.status === 401 && this.#mayRefresh() && this.#replayable() === "yes")
      return this.#replay(answer);
    this.#release(answer);
    answer.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const { request, body } = this.#call;
    if (body instanceof Upload) body.destroy();
    if (this.#over) return;
    if (this.#answer?.begun) return this.#answer.breakOff();
    this.#over = true;
    if (error instanceof Problem) return this.#refuse(error);
    const failed = toEgressError(error, this.#sent, this.#target.origin);
    const isOurFault =
      "code" in error && (error.code === "UND_ERR_INVALID_ARG" || error.code === "UND_ERR_NOT_SUPPORTED");
    this.#refuse(isOurFault ? error : toEgressProblem(failed, request.method ?? ""));
  }

  get #ids(): WorkIds {
    return { ...listWorkIds(this.#target, this.#call.head.traceparent), requestId: this.requestId };
  }

  #refuseUnsigned(error: unknown): void {
    this.#over = true;
    const isCallers = error instanceof UnsignableRequest;
    this.#refuse(isCallers ? new Problem("invalid-request", { detail: error.message }) : error);
  }

  #refuse(error: unknown): void {
    this.refused = true;
    this.requestId = this.#call.requestId;
    refuse(this.#deps, this.#call.response, error, { requestId: this.requestId, ids: this.#ids });
  }

  /** Begins to pass a held answer, with the headers that throttle mode adds. */
  #release(answer: ProviderResponseStream): void {
    if (answer.status === 401 && this.#mayRefresh()) this.#refreshInBackground();
    if (this.#throttles) answer.add(this.#deps.throttle.judge(this.#target, answer.forJudging()));
    answer.begin();
  }

  #finish(answer: ProviderResponseStream): void {
    answer.begin();
    answer.end();
  }

  #mayRefresh(): boolean {
    return this.#target.refreshable && !this.#replayed;
  }

  /** Returns whether the request can be repeated; "later" while its body is still arriving. */
  #replayable(): "yes" | "no" | "later" {
    const { body } = this.#call;
    if (!(body instanceof Upload)) return "yes";
    if (body.whole) return "yes";
    return body.destroyed || body.readableEnded ? "no" : "later";
  }

  #replay(refused: ProviderResponseStream): void {
    this.#replayed = true;
    const { request, body } = this.#call;
    this.#deps.targets
      .refresh(this.#target)
      .then(
        (target) => {
          if (this.#over) return;
          if (target === this.#target) return this.#finish(refused);
          this.#target = target;
          const path = joinTargetPath(request.url ?? "", target);
          this.#send(body instanceof Upload ? body.whole : body, path);
        },
        (error: unknown) => {
          // The provider's own refusal tells the caller more than ours.
          if (!this.#over) this.#finish(refused);
          this.#deps.log.warn({ ...this.#ids, error: String(error) }, "token not refreshed");
        },
      )
      .catch((error: unknown) => this.#refuse(error));
  }

  #refreshInBackground(): void {
    this.#replayed = true;
    this.#deps.targets
      .refresh(this.#target)
      .catch((error: unknown) =>
        this.#deps.log.warn({ ...this.#ids, problem: toProxyProblem(error).message }, "token not refreshed"),
      );
  }
}

const areBytes = (raw: Dispatcher.DispatchController["rawHeaders"]): raw is Buffer[] =>
  Array.isArray(raw) && (raw.length === 0 || Buffer.isBuffer(raw[0]));
