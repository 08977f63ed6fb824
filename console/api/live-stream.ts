/** `live`: every change is told within a second. `lost`: nothing is told at present; it is being tried again. */
export type StreamState = "live" | "lost";

export interface StreamListener {
  onState(state: StreamState): void;
  /** The service refused the stream: perhaps the session is over. */
  onRefused?(): void;
}

/** What a stream uses of the browser's EventSource. */
export interface EventStream {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { data: string }) => void): void;
  close(): void;
}

export type Connect = (address: string) => EventStream;

const TRY_AGAIN_MS = 1_000;
const TRY_AGAIN_MAX_MS = 30_000;
/** A stream begins with an event at once: whoever hears none by then has a proxy in between that keeps it, or a service that hangs. */
const FIRST_WORD_MS = 10_000;
/** The service ends a stream after five minutes: one that lasts longer is a connection that has died unnoticed. */
const STREAM_LASTS_MS = 5.5 * 60_000;
const CLOSED = 2;

/**
 * One stream of server-sent events, for as long as it is open. Where it breaks off or says `reconnect`, the browser comes
 * back by itself with the mark of what it had, and nothing is left out. Where the service refused it, where nothing comes,
 * and where it died without a word, it begins anew.
 */
export class LiveStream {
  readonly #address: string;
  readonly #events: Readonly<Record<string, (data: string) => void>>;
  readonly #listener: StreamListener;
  readonly #connect: Connect;
  #stream: EventStream | null = null;
  #anew: ReturnType<typeof setTimeout> | undefined;
  #unheard: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #state: StreamState | null = null;

  constructor(
    address: string,
    /** By their names: what is done with the data of each. */
    events: Readonly<Record<string, (data: string) => void>>,
    listener: StreamListener,
    connect: Connect,
  ) {
    this.#address = address;
    this.#events = events;
    this.#listener = listener;
    this.#connect = connect;
  }

  /** Opens it, or begins anew when it is open. */
  open(): void {
    this.#stream?.close();
    this.#dueAgainIn(STREAM_LASTS_MS);
    this.#heard();
    this.#awaitWord();
    const stream = this.#connect(this.#address);
    this.#stream = stream;
    let wasHeard = false;
    stream.addEventListener("open", () => {
      this.#failures = 0;
      this.#dueAgainIn(STREAM_LASTS_MS);
      // One that is taken up again says nothing until something happens.
      if (wasHeard) this.#heard();
      if (wasHeard || this.#state !== "lost") this.#is("live");
    });
    stream.addEventListener("error", () => {
      if (this.#stream === stream) this.#failed(stream.readyState === CLOSED);
    });
    for (const [name, take] of Object.entries(this.#events)) {
      stream.addEventListener(name, ({ data }) => {
        wasHeard = true;
        this.#heard();
        if (this.#state === "lost") this.#is("live");
        take(data);
      });
    }
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
    clearTimeout(this.#anew);
    this.#heard();
  }

  #is(state: StreamState): void {
    this.#state = state;
    this.#listener.onState(state);
  }

  #failed(isRefused: boolean): void {
    this.#failures += 1;
    // An end is the rule: what comes back at once was not lost.
    if (this.#failures > 1 || isRefused) this.#is("lost");
    if (!isRefused) return this.#awaitWord();
    this.#heard();
    this.#listener.onRefused?.();
    this.#dueAgainIn(Math.min(TRY_AGAIN_MAX_MS, TRY_AGAIN_MS * 2 ** (this.#failures - 1)));
  }

  #heard(): void {
    clearTimeout(this.#unheard);
    this.#unheard = undefined;
  }

  #awaitWord(): void {
    this.#unheard ??= setTimeout(() => {
      this.#is("lost");
      this.#dueAgainIn(TRY_AGAIN_MAX_MS);
    }, FIRST_WORD_MS);
  }

  #dueAgainIn(ms: number): void {
    clearTimeout(this.#anew);
    this.#anew = setTimeout(() => {
      this.#is("lost");
      this.open();
    }, ms);
  }
}
