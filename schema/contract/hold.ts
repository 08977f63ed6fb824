/** Why an execution waits before its first node (docs/design/workflows.md#concurrency). Times are epoch ms. */
export interface Hold {
  readonly code: "concurrency";
  readonly since: number;
  /** When it ends without having begun; absent for never. */
  readonly until?: number;
}
