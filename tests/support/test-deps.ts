import { permissionSchema } from "../../schema/contract/people.ts";
import type { Env } from "../../worker/env.ts";
import type { Deps } from "../../worker/services/deps.ts";
import { newId } from "../../worker/services/ids.ts";
import type { Principal } from "../../worker/services/principal.ts";
import type { DispatcherRpc, WorkflowRunsRpc } from "../../worker/services/ports.ts";
import { parseSettings } from "../../worker/services/settings.ts";
import { openDatabase } from "../../worker/store/database.ts";

export const TEST_SERVER_SECRET = "test-server-secret-0123456789-0123456789";

/** A caller with all permissions, for verbs that check the caller. */
export const ADMINISTRATOR: Principal = {
  kind: "bootstrap",
  userId: null,
  actor: "bootstrap",
  role: "admin",
  permissions: new Set(permissionSchema.options),
};

/** The dependencies of a verb: a real libSQL server, and dispatchers answered by the test. All other calls fail. */
export function testDeps(
  databaseUrl: string,
  {
    now = Date.now,
    dispatcher = never,
    workflowRuns = never,
    settings = {},
    exportDirectory,
  }: {
    now?: () => number;
    dispatcher?: (poolObject: string) => DispatcherRpc;
    workflowRuns?: Deps["objects"]["workflowRuns"];
    settings?: Readonly<Record<string, string>>;
    exportDirectory?: Env["EXPORT_DIRECTORY"];
  } = {},
): Deps {
  const open = (limitMs?: number) => openDatabase({ url: databaseUrl }, limitMs);
  return {
    settings: parseSettings({
      BELLHOP_SECRET: TEST_SERVER_SECRET,
      DATABASE_URL: databaseUrl,
      ...(exportDirectory === undefined ? {} : { EXPORT_DIRECTORY: exportDirectory }),
      ...settings,
    }),
    db: open(),
    openDatabase: open,
    objects: { gate: never, workflowRuns, dispatcher, executionFeed: never, control: never, alerter: never },
    now,
    newId: (kind) => newId(kind, now()),
  };
}

/** A dispatcher that answers only these calls, hence the cast. */
export function dispatcherThat(answers: Partial<DispatcherRpc>): DispatcherRpc {
  return answers as DispatcherRpc;
}

/** The same for runs. */
export function workflowRunsThat(answers: Partial<WorkflowRunsRpc>): WorkflowRunsRpc {
  return answers as WorkflowRunsRpc;
}

function never(): never {
  throw new Error("this object is not to be called");
}
