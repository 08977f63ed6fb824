import { script } from "./script.ts";
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
  /** The trigger that starts it; a sender calls webhooks and reports incidents. */
  trigger: "webhook" | "incident" | "cron";
  definition(connections: ConnectionIds, files: ScriptFiles): Definition;
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

/** The limit of the load, for each host. */
export const LIMIT = { name: "restarts", maxRuns: 3, periodSeconds: 60 };

interface Definition {
  nodes: AnyNode[];
  edges: unknown[];
  concurrency?: unknown;
}

export interface ScriptFiles {
  /** The file in which every script records its begin and end. */
  journal: string;
  /** The directory in which scripts leave marks for their next attempt. */
  marks: string;
}

const KEY = "{{webhook.key}}";
const SECONDS = "{{webhook.seconds | number}}";
const TIMEOUT_SECONDS = 120;
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

interface BashOptions {
  key?: string;
  seconds?: string;
  iteration?: string;
  /** The script's last command, after its work; its exit code is the script's. */
  last?: string;
  env?: Record<string, string>;
}

function bash(id: string, connectionId: string, files: ScriptFiles, options: BashOptions = {}) {
  const { key = KEY, seconds: lasting = SECONDS, iteration = "", last = "", env } = options;
  const text = script({ journal: files.journal, nodeId: id, key, seconds: lasting, iteration, last });
  return {
    id,
    type: "action",
    action: "script.bash",
    connectionId,
    timeoutSeconds: TIMEOUT_SECONDS,
    params: { script: text, ...(env === undefined ? {} : { env }) },
  };
}

function get(id: string, connectionId: string) {
  const params = { path: "/read", query: { key: KEY, node: id, seconds: SECONDS } };
  return { id, type: "action", action: "http.request", connectionId, timeoutSeconds: TIMEOUT_SECONDS, params };
}

function update(id: string, connectionId: string) {
  const params = { ts: "1712345678.123456", text: KEY };
  return { id, type: "action", action: "chat.updateMessage", connectionId, timeoutSeconds: TIMEOUT_SECONDS, params };
}

interface AnyNode {
  id: string;
  [field: string]: unknown;
}

/** Nodes in sequence; each begins when the one before has succeeded. */
function chain(...nodes: AnyNode[]): Definition {
  const edges = nodes.slice(1).map((node, index) => ({ from: nodes[index]?.id, to: node.id, on: "success" }));
  return { nodes, edges };
}
