/**
 * What somebody approved: of the workflows that follow, their versions, and of the connections, digests of their targets.
 * What has changed since is not run.
 */
export interface Approved {
  /** Version ids by workflow id. */
  versions: Readonly<Record<string, string>>;
  /** Digests by connection id; null where the connection has no target. */
  targets: Readonly<Record<string, string | null>>;
}
