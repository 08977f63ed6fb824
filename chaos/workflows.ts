import { KEY, SECONDS, bash, chain, get, update } from "./nodes.ts";
import type { AnyNode, ScriptFiles } from "./nodes.ts";
import type { Random } from "./random.ts";

/** The connections of the load, by purpose. */
export interface ConnectionIds {
  scripts: string;
  annexScripts: string;
  recorder: string;
  chat: string;
  custom: string;
}

/** How an execution may end, and the limits on its nodes, while the agents of its unsafe jobs stay alive. */
export interface Kind {
  /** What starts it; a sender calls webhooks and reports incidents, and `call` is a step of another workflow. */
  trigger: "webhook" | "incident" | "cron" | "call" | "failure";
  /** `idOf`: the id of a kind before this one. */
  definition(connections: ConnectionIds, files: ScriptFiles, idOf: (kind: string) => string): Definition;
  /** Its failures start the failure workflow, and are reported by the rule for this tag, unless it is untagged. */
  isUntagged?: true;
  /** Its incidents within this time start one run. */
  joinsForSeconds?: number;
  /** Its runs wait for each other. */
  waits?: true;
  /** Its runs with unsafe actions are limited by LIMIT, for each host; others fail. */
  isLimited?: true;
  /** The end without a lost job. */
  endsAs: readonly ("succeeded" | "failed" | "cancelled")[];
  /**
   * Its unsafe scripts have `onAgentLost: "retry"`: they may run twice, and a lost agent does not end the execution.
   */
  mayRunAgain?: true;
  /** Pairs of nodes; the second begins after the first has ended. */
  order?: readonly (readonly [string, string])[];
  /** The variables of the sender's event, in addition to its key. */
  variables?(random: Random): Record<string, unknown>;
  /** The sender cancels the execution this long after its acceptance. */
  cancelAfterMs?(random: Random): number;
}

/** The tag of the failure workflow and of a notification rule. */
export const WATCHED = "watched";

/** The limit of the load, for each host. */
export const LIMIT = { name: "restarts", maxRuns: 3, periodSeconds: 60 };

interface Definition {
  nodes: AnyNode[];
  edges: unknown[];
  concurrency?: unknown;
}

/** From 5 ms to a few seconds; most are short. */
const HOST = "{{webhook.host}}";
const host = (random: Random): Record<string, unknown> => ({ host: random.pick(["a", "b"]), seconds: 0.05 });
const seconds = (random: Random): Record<string, unknown> => ({
  seconds: (random.chance(0.2) ? random.whole(1_000, 4_000) : random.whole(5, 500)) / 1_000,
});

export const KINDS = {
  single: {
    trigger: "webhook",
    definition: ({ scripts }, files) => chain(bash("only", scripts, files)),
    endsAs: ["succeeded"],
    variables: seconds,
  },
  chain: {
    trigger: "webhook",
    definition: ({ scripts, recorder }, files) =>
      chain(bash("first", scripts, files), get("middle", recorder), bash("last", scripts, files)),
    endsAs: ["succeeded"],
    order: [["first", "last"]],
    variables: seconds,
  },
  each: {
    trigger: "webhook",
    definition: ({ scripts }, files) =>
      chain({
        id: "all",
        type: "forEach",
        items: "{{webhook.items}}",
        concurrency: 2,
        body: chain(bash("one", scripts, files, { iteration: "{{foreach.index}}" })),
      }),
    endsAs: ["succeeded"],
    variables: (random) => ({
      ...seconds(random),
      items: Array.from({ length: random.whole(1, 5) }, (_, index) => index),
    }),
  },
  retried: {
    trigger: "webhook",
    definition: ({ scripts }, files) =>
      chain({
        ...bash("again", scripts, files, { last: `if mkdir '${files.marks}'/"$key" 2>/dev/null; then exit 7; fi` }),
        retry: { maxAttempts: 4, backoffSeconds: 0.5 },
      }),
    endsAs: ["succeeded"],
    variables: seconds,
  },
  handled: {
    trigger: "webhook",
    definition: ({ scripts }, files) => ({
      nodes: [
        bash("fails", scripts, files, { last: "exit 3" }),
        { id: "handler", type: "errorHandler" },
        bash("fixes", scripts, files),
      ],
      edges: [
        { from: "fails", to: "handler", on: "failure" },
        { from: "handler", to: "fixes", on: "success" },
      ],
    }),
    endsAs: ["succeeded"],
    order: [["fails", "fixes"]],
    variables: seconds,
  },
  reads: {
    trigger: "webhook",
    definition: ({ recorder, chat }) => chain(get("look", recorder), update("say", chat), get("lookAgain", recorder)),
    endsAs: ["succeeded"],
    variables: seconds,
  },
  slow: {
    trigger: "webhook",
    definition: ({ scripts }, files) => chain({ ...bash("endless", scripts, files), timeoutSeconds: 2 }),
    endsAs: ["failed"],
    variables: () => ({ seconds: 8 }),
  },
  cancelled: {
    trigger: "webhook",
    definition: ({ scripts, recorder }, files) => chain(bash("first", scripts, files), get("last", recorder)),
    endsAs: ["succeeded", "cancelled"],
    variables: (random) => ({ seconds: random.whole(1, 4) }),
    cancelAfterMs: (random) => random.whole(0, 3_000),
  },
  repeatable: {
    trigger: "webhook",
    definition: ({ scripts }, files) => chain({ ...bash("twice", scripts, files), onAgentLost: "retry" }),
    endsAs: ["succeeded"],
    mayRunAgain: true,
    variables: seconds,
  },
  annex: {
    trigger: "webhook",
    definition: ({ annexScripts }, files) => chain(bash("there", annexScripts, files)),
    endsAs: ["succeeded"],
    // The pool has only this agent: a kill should hit it while the script runs.
    variables: (random) => ({ seconds: random.whole(1, 5) }),
  },
  secret: {
    trigger: "webhook",
    // A careless script prints its secret, which must not leave the agent.
    definition: ({ custom }, files) =>
      chain(
        bash("print", custom, files, { last: 'echo "the password is $CHAOS_PASSWORD"; test -n "$CHAOS_PASSWORD"' }),
      ),
    endsAs: ["succeeded"],
    variables: seconds,
  },
  incident: {
    trigger: "incident",
    definition: ({ scripts }, files) =>
      chain(bash("react", scripts, files, { key: "$TITLE", seconds: "0.05", env: { TITLE: "{{incident.title}}" } })),
    endsAs: ["succeeded"],
  },
  queued: {
    trigger: "webhook",
    definition: ({ scripts, recorder }, files) => ({
      ...chain(bash("one", scripts, files), get("two", recorder)),
      concurrency: { mode: "queue", key: HOST, maxQueued: 10_000 },
    }),
    waits: true,
    endsAs: ["succeeded"],
    variables: host,
  },
  limited: {
    trigger: "webhook",
    definition: ({ scripts }, files) => chain(bash("restart", scripts, files)),
    isLimited: true,
    isUntagged: true,
    endsAs: ["succeeded"],
    variables: host,
  },
  joined: {
    trigger: "incident",
    joinsForSeconds: 3,
    definition: ({ scripts }, files) =>
      chain(bash("react", scripts, files, { key: "$TITLE", seconds: "0.05", env: { TITLE: "{{incident.title}}" } })),
    endsAs: ["succeeded"],
  },
  part: {
    trigger: "call",
    definition: ({ scripts }, files) => chain(bash("fails", scripts, files, { last: "exit 4" })),
    endsAs: ["failed"],
  },
  whole: {
    trigger: "webhook",
    definition: (_connections, _files, idOf) =>
      chain({ id: "call", type: "workflow", workflowId: idOf("part"), variables: { key: KEY, seconds: SECONDS } }),
    endsAs: ["failed"],
    variables: seconds,
  },
  afterFailure: {
    trigger: "failure",
    // About half of its runs fail, which must start nothing.
    definition: ({ scripts }, files) =>
      chain(
        bash("react", scripts, files, {
          key: "{{failed.executionId}}",
          seconds: "0.05",
          last: '[[ "$key" = *[02468ace] ]]',
        }),
      ),
    endsAs: ["succeeded", "failed"],
  },
  minute: {
    trigger: "cron",
    definition: ({ scripts }, files) =>
      chain(bash("tick", scripts, files, { key: "{{cron.scheduledAt}}", seconds: "0.05" })),
    endsAs: ["succeeded"],
  },
} as const satisfies Record<string, Kind>;
export type KindName = keyof typeof KINDS;

export const KIND_NAMES = Object.keys(KINDS).filter((name): name is KindName => Object.hasOwn(KINDS, name));

export function kindOf(name: KindName): Kind {
  return KINDS[name];
}

/** Whether a sender starts its runs. */
export function isSent({ trigger }: Kind): boolean {
  return trigger === "webhook" || trigger === "incident";
}
