/** The Worker's bindings. Only `services/settings.ts` reads its text settings (schema/settings/service.ts). */
export interface Env {
  GATE: DurableObjectNamespace;
  WORKFLOW_RUNS: DurableObjectNamespace;
  DISPATCHER: DurableObjectNamespace;
  NOTIFIER: DurableObjectNamespace;
  EXECUTION_FEED: DurableObjectNamespace;
  SERVICE_CONTROL: DurableObjectNamespace;
  ALERTER: DurableObjectNamespace;
  /**
   * On one machine: the way to DATABASE_URL, so that the Worker's other requests need no access to that address
   * (docs/deploy/one-machine.md). Unset: the network.
   */
  DATABASE?: Fetcher;
  /** The console's files (`npm run build:console`): static assets, or workerd's `disk` service on one machine. */
  CONSOLE?: Fetcher;
  /** The agent's releases (`npm run publish:agent`): a bucket, or workerd's `disk` service on one machine. */
  DOWNLOADS?: R2Bucket;
  DOWNLOADS_DISK?: Fetcher;
  /** On one machine: the process that writes to RETENTION_EXPORT_DIRECTORY (scripts/export-directory/server.ts). */
  EXPORT_DIRECTORY?: Pick<Fetcher, "fetch">;
}
