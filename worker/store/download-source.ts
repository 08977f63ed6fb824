/** The storage of published releases. Keys are `agent/<version>/<file>` and `agent/latest.json` in every storage. */
export interface DownloadSource {
  /** How to publish a release, for error messages. */
  readonly publishHint: string;
  /** Null when there is no such key. */
  sizeOf(key: string): Promise<number | null>;
  /** The whole file, or a part that must lie within it; null when there is no such key. */
  read(key: string, part?: { offset: number; length: number }): Promise<ReadableStream<Uint8Array> | null>;
}
