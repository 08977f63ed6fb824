/** What a failure is about beside the node itself. */
export interface NextStep {
  text: string;
  /** The connection is what has to be looked at. */
  connection?: true;
  /** The workflow is. */
  workflow?: true;
}

const LOOK_BEFORE_AGAIN: NextStep = {
  text: "It is not known whether it was carried out. Look at its target before you run it again.",
};
const MEND_CONNECTION: NextStep = { text: "Mend the connection, test it there, and retry.", connection: true };
const MEND_WORKFLOW: NextStep = {
  text: "Change the node, publish the workflow, and retry with what is published.",
  workflow: true,
};

const STEPS: Readonly<Record<string, NextStep>> = {
  agent_lost: LOOK_BEFORE_AGAIN,
  outcome_unknown: LOOK_BEFORE_AGAIN,
  interrupted: LOOK_BEFORE_AGAIN,
  result_lost: LOOK_BEFORE_AGAIN,
  agent_shutdown: LOOK_BEFORE_AGAIN,
  credential_missing: { text: "Deliver the connection's credential, and retry.", connection: true },
  authentication_failed: MEND_CONNECTION,
  unreachable: MEND_CONNECTION,
  address_blocked: MEND_CONNECTION,
  tls_error: MEND_CONNECTION,
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
  connection_not_found: MEND_WORKFLOW,
  connection_type_mismatch: MEND_WORKFLOW,
  invalid_params: MEND_WORKFLOW,
  env_unsupported: MEND_WORKFLOW,
  value_not_representable: MEND_WORKFLOW,
  value_too_large: MEND_WORKFLOW,
  values_too_large: MEND_WORKFLOW,
  timed_out: {
    text: "It took longer than its node allows. See below how far it came; give it longer in the node's timeout if it needs that.",
    workflow: true,
  },
  nonzero_exit: { text: "What the program wrote stands below, under Output." },
};

/** What to do next about a failure; null where its own words say it. */
export function nextStep(code: string): NextStep | null {
  return Object.hasOwn(STEPS, code) ? (STEPS[code] ?? null) : null;
}
