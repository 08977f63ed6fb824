import { createKubernetesExecutor } from "../../agent/executors/kubernetes/index.ts";
import type { ConnectionCheck, Executor, ExecutorOutcome } from "../../agent/executors/executor.ts";
import type { KubernetesDeps } from "../../agent/executors/kubernetes/find-cluster.ts";
import { asDeclared } from "./declared-output.ts";
import { contextOf, type TestJob } from "./executor-context.ts";

/** Runs actions and tests like an agent with this environment and service account. */
export function kubernetesExecutor(deps: Partial<KubernetesDeps> = {}): {
  run: (action: string, job: TestJob) => Promise<ExecutorOutcome>;
  test: (job: TestJob) => Promise<ConnectionCheck[]>;
} {
  const executor: Executor = createKubernetesExecutor({
    environment: {},
    serviceAccountDirectory: "/nonexistent",
    ...deps,
  });
  return {
    run: async (action, job) => {
      const run = executor.actions[`kubernetes.${action}`];
      if (run === undefined) throw new Error(`there is no action kubernetes.${action}`);
      return asDeclared(`kubernetes.${action}`, await run(contextOf("kubernetes", job, "/nonexistent")));
    },
    test: (job) => executor.test(contextOf("kubernetes", job, "/nonexistent")),
  };
}
