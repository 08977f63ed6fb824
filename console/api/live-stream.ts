/** `live`: every change arrives within a second. `lost`: no changes arrive, and the stream tries to reconnect. */
export type StreamState = "live" | "lost";

export interface StreamListener {
  onState(state: StreamState): void;
  /** The service refused the stream: the session may be over. */
  onRefused?(): void;
}

/** The part of the browser's EventSource that a stream uses. */
export interface EventStream {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { data: string }) => void): void;
  close(): void;
}

export type Connect = (address: string) => EventStream;

const TRY_AGAIN_MS = 1_000;
const TRY_AGAIN_MAX_MS = 30_000;
/** The service sends a first event immediately. If none arrives, a proxy buffers the stream or the service hangs. */
const FIRST_EVENT_MS = 10_000;
/** The service ends a stream after five minutes: a connection that lasts longer is dead. */
const STREAM_LASTS_MS = 5.5 * 60_000;
/** A stream that ends regularly is open again after a second. A longer break is shown. */
const BREAK_MS = 1_800;
const CLOSED = 2;

/**
 * One stream of server-sent events. After a break or a `reconnect` event the browser reconnects with the id of the last
 * event, so no event is lost. After a refusal, a silent start or a dead connection this class opens a new stream.
 */
export class LiveStream {
  readonly #address: string;
  readonly #events: Readonly<Record<string, (data: string) => void>>;
  readonly #listener: StreamListener;
  readonly #connect: Connect;
  #stream: EventStream | null = null;
  #reopenTimer: ReturnType<typeof setTimeout> | undefined;
  #firstEventTimer: ReturnType<typeof setTimeout> | undefined;
  #breakTimer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #state: StreamState | null = null;

  constructor(
    address: string,
    /** By event name: the handler of the event's data. */
    events: Readonly<Record<string, (data: string) => void>>,
    listener: StreamListener,
    connect: Connect,
  ) {
    this.#address = address;
    this.#events = events;
    this.#listener = listener;
    this.#connect = connect;
  }

  /** Opens the stream. An open one is closed first. */
  open(): void {
    this.#stream?.close();
    this.#reopenIn(STREAM_LASTS_MS);
    this.#stopWaiting();
    this.#awaitEvent();
    const stream = this.#connect(this.#address);
    this.#stream = stream;
    let hasSent = false;
    stream.addEventListener("open", () => {
      this.#failures = 0;
      clearTimeout(this.#breakTimer);
      this.#reopenIn(STREAM_LASTS_MS);
      // A stream that the browser resumes sends nothing until something happens.
      if (hasSent) this.#stopWaiting();
      if (hasSent || this.#state !== "lost") this.#setState("live");
    });
    stream.addEventListener("error", () => {
      if (this.#stream === stream) this.#failed(stream.readyState === CLOSED);
    });
    for (const [name, take] of Object.entries(this.#events)) {
      stream.addEventListener(name, ({ data }) => {
        hasSent = true;
        this.#stopWaiting();
        if (this.#state === "lost") this.#setState("live");
        take(data);
      });
    }
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
    clearTimeout(this.#reopenTimer);
    clearTimeout(this.#breakTimer);
    this.#stopWaiting();
  }

  #setState(state: StreamState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#listener.onState(state);
  }

  #failed(isRefused: boolean): void {
    this.#failures += 1;
    // The service ends every stream regularly: a single end that the browser repairs is not a loss.
    clearTimeout(this.#breakTimer);
    if (this.#failures > 1 || isRefused) this.#setState("lost");
    else this.#breakTimer = setTimeout(() => this.#setState("lost"), BREAK_MS);
    if (!isRefused) return this.#awaitEvent();
    this.#stopWaiting();
    this.#listener.onRefused?.();
    this.#reopenIn(Math.min(TRY_AGAIN_MAX_MS, TRY_AGAIN_MS * 2 ** (this.#failures - 1)));
  }

  #stopWaiting(): void {
    clearTimeout(this.#firstEventTimer);
    this.#firstEventTimer = undefined;
  }

  #awaitEvent(): void {
    this.#firstEventTimer ??= setTimeout(() => {
      this.#setState("lost");
      this.#reopenIn(TRY_AGAIN_MAX_MS);
    }, FIRST_EVENT_MS);
  }

  #reopenIn(ms: number): void {
    clearTimeout(this.#reopenTimer);
    this.#reopenTimer = setTimeout(() => {
      this.#setState("lost");
      this.open();
    }, ms);
  }
}
