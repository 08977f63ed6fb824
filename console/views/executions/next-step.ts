import { executionSteps } from "../../strings/en/execution-steps.ts";
const text = executionSteps.nextStep;

/** Advice for a failure, with a link to the connection or the workflow. */
export interface NextStep {
  text: string;
  /** Link to the connection. */
  connection?: true;
  /** Link to the workflow. */
  workflow?: true;
}

const CHECK_TARGET: NextStep = {
  text: text.checkTarget,
};
const FIX_CONNECTION: NextStep = { text: text.fixConnection, connection: true };
const FIX_WORKFLOW: NextStep = {
  text: text.fixWorkflow,
  workflow: true,
};

const STEPS: Readonly<Record<string, NextStep>> = {
  agent_lost: CHECK_TARGET,
  outcome_unknown: CHECK_TARGET,
  interrupted: CHECK_TARGET,
  result_lost: CHECK_TARGET,
  agent_shutdown: CHECK_TARGET,
  credential_missing: { text: text.deliver, connection: true },
  authentication_failed: FIX_CONNECTION,
  unreachable: FIX_CONNECTION,
  address_blocked: FIX_CONNECTION,
  tls_error: FIX_CONNECTION,
  connection_disabled: { text: text.enable, connection: true },
  connection_not_usable: {
    text: text.mayNotUse,
    connection: true,
  },
  workflow_refused: {
    text: text.addWorkflow,
    connection: true,
  },
  connection_unassigned: { text: text.assign, connection: true },
  approval_outdated: {
    text: text.approveAgain,
  },
  connection_not_found: FIX_WORKFLOW,
  connection_type_mismatch: FIX_WORKFLOW,
  invalid_params: FIX_WORKFLOW,
  env_unsupported: FIX_WORKFLOW,
  value_not_representable: FIX_WORKFLOW,
  value_too_large: FIX_WORKFLOW,
  values_too_large: FIX_WORKFLOW,
  timed_out: {
    text: text.raiseTimeout,
    workflow: true,
  },
  nonzero_exit: { text: text.readOutput },
};

/** The next step after a failure, or null when the error message says it. */
export function nextStep(code: string): NextStep | null {
  return Object.hasOwn(STEPS, code) ? (STEPS[code] ?? null) : null;
}
