/** Where published releases lie; keys are `agent/<version>/<file>` and `agent/latest.json` everywhere. */
export interface DownloadSource {
  /** How to fill it, for whoever finds nothing there. */
  readonly publishHint: string;
  /** Null when there is nothing of this key. */
  sizeOf(key: string): Promise<number | null>;
  /** The whole, or a part that is known to be within it; null when there is nothing of this key. */
  read(key: string, part?: { offset: number; length: number }): Promise<ReadableStream<Uint8Array> | null>;
}
