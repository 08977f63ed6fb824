export type Attributes = Readonly<Record<string, string | number | boolean | null>>;

/** One span, as data. Times are epoch ms. Attributes that are null are left out. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly startMs: number;
  /** Not before the start. */
  readonly endMs: number;
  /** Ids, names, states and codes only: never a parameter, a value, an output or a message. */
  readonly attributes: Attributes;
  /** The code of the failure; null without one. */
  readonly error: string | null;
  readonly events: readonly { readonly name: string; readonly atMs: number; readonly attributes: Attributes }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}
