/** The Worker's bindings. Its settings that are text are read by `services/settings.ts` alone (schema/settings/service.ts). */
export interface Env {
  GATE: DurableObjectNamespace;
  WORKFLOW_RUNS: DurableObjectNamespace;
  DISPATCHER: DurableObjectNamespace;
  NOTIFIER: DurableObjectNamespace;
  EXECUTION_FEED: DurableObjectNamespace;
  /**
   * On one machine: the way to DATABASE_URL, so that it need not be reachable for anything else that the Worker calls
   * (docs/deploy/one-machine.md). Unset: the network.
   */
  DATABASE?: Fetcher;
  /**
   * The console's files, as `npm run build:console` writes them: the platform's static assets, or on one machine
   * workerd's `disk` service.
   */
  CONSOLE?: Fetcher;
  /** Where published releases of the agent lie (`npm run publish:agent`): a bucket, or on one machine workerd's `disk` service. */
  DOWNLOADS?: R2Bucket;
  DOWNLOADS_DISK?: Fetcher;
}
