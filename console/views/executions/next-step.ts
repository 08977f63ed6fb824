/** Advice for a failure, with a link to the connection or the workflow. */
export interface NextStep {
  text: string;
  /** Link to the connection. */
  connection?: true;
  /** Link to the workflow. */
  workflow?: true;
}

const CHECK_TARGET: NextStep = {
  text: "It is not known whether it was carried out. Look at its target before you run it again.",
};
const FIX_CONNECTION: NextStep = { text: "Mend the connection, test it there, and retry.", connection: true };
const FIX_WORKFLOW: NextStep = {
  text: "Change the node, publish the workflow, and retry with what is published.",
  workflow: true,
};

const STEPS: Readonly<Record<string, NextStep>> = {
  agent_lost: CHECK_TARGET,
  outcome_unknown: CHECK_TARGET,
  interrupted: CHECK_TARGET,
  result_lost: CHECK_TARGET,
  agent_shutdown: CHECK_TARGET,
  credential_missing: { text: "Deliver the connection's credential, and retry.", connection: true },
  authentication_failed: FIX_CONNECTION,
  unreachable: FIX_CONNECTION,
  address_blocked: FIX_CONNECTION,
  tls_error: FIX_CONNECTION,
  connection_disabled: { text: "Enable the connection, and retry.", connection: true },
  connection_not_usable: {
    text: "Have someone who may use the connection publish the workflow, or add the workflow to who may use it.",
    connection: true,
  },
  workflow_refused: {
    text: "Add the workflow to who may use the connection, deliver its credential again, and retry.",
    connection: true,
  },
  connection_unassigned: { text: "Give the connection an agent or a pool, and retry.", connection: true },
  approval_outdated: {
    text: "Look at what was changed since the approval, and retry from the start: it asks again.",
  },
  connection_not_found: FIX_WORKFLOW,
  connection_type_mismatch: FIX_WORKFLOW,
  invalid_params: FIX_WORKFLOW,
  env_unsupported: FIX_WORKFLOW,
  value_not_representable: FIX_WORKFLOW,
  value_too_large: FIX_WORKFLOW,
  values_too_large: FIX_WORKFLOW,
  timed_out: {
    text: "It took longer than its node allows. See below how far it came; give it longer in the node's timeout if it needs that.",
    workflow: true,
  },
  nonzero_exit: { text: "What the program wrote stands below, under Output." },
};

/** The next step after a failure, or null when the error message says it. */
export function nextStep(code: string): NextStep | null {
  return Object.hasOwn(STEPS, code) ? (STEPS[code] ?? null) : null;
}
