/** Advice for a failure, with a link to the connection or the workflow. */
export interface NextStep {
  text: string;
  /** Link to the connection. */
  connection?: true;
  /** Link to the workflow. */
  workflow?: true;
}

const CHECK_TARGET: NextStep = {
  text: "The outcome is unknown. Check the target before you run this again.",
};
const FIX_CONNECTION: NextStep = { text: "Fix and test the connection, then retry.", connection: true };
const FIX_WORKFLOW: NextStep = {
  text: "Change the step, publish the workflow, then retry with the published version.",
  workflow: true,
};

const STEPS: Readonly<Record<string, NextStep>> = {
  agent_lost: CHECK_TARGET,
  outcome_unknown: CHECK_TARGET,
  interrupted: CHECK_TARGET,
  result_lost: CHECK_TARGET,
  agent_shutdown: CHECK_TARGET,
  credential_missing: { text: "Deliver the connection's credential, then retry.", connection: true },
  authentication_failed: FIX_CONNECTION,
  unreachable: FIX_CONNECTION,
  address_blocked: FIX_CONNECTION,
  tls_error: FIX_CONNECTION,
  connection_disabled: { text: "Enable the connection, then retry.", connection: true },
  connection_not_usable: {
    text: "Ask someone who may use the connection to publish the workflow, or add the workflow under “Who may use it”.",
    connection: true,
  },
  workflow_refused: {
    text: "Add the workflow to the connection under “Who may use it”, deliver the credential again, then retry.",
    connection: true,
  },
  connection_unassigned: { text: "Assign an agent or a pool to the connection, then retry.", connection: true },
  approval_outdated: {
    text: "Check what has changed since the approval, then retry from the start, which asks for approval again.",
  },
  connection_not_found: FIX_WORKFLOW,
  connection_type_mismatch: FIX_WORKFLOW,
  invalid_params: FIX_WORKFLOW,
  env_unsupported: FIX_WORKFLOW,
  value_not_representable: FIX_WORKFLOW,
  value_too_large: FIX_WORKFLOW,
  values_too_large: FIX_WORKFLOW,
  timed_out: {
    text: "The step exceeded its timeout. See below how far it came, and raise the timeout if the step needs more time.",
    workflow: true,
  },
  nonzero_exit: { text: "Read the output, fix the cause, then retry." },
};

/** The next step after a failure, or null when the error message says it. */
export function nextStep(code: string): NextStep | null {
  return Object.hasOwn(STEPS, code) ? (STEPS[code] ?? null) : null;
}
