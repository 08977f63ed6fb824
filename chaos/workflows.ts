import { script } from "./script.ts";
import type { Random } from "./random.ts";

/** The connections that the load uses, by what they are for. */
export interface ConnectionIds {
  scripts: string;
  annexScripts: string;
  recorder: string;
  chat: string;
  custom: string;
}

/** How an execution may end, and what its nodes may do, when the agents of its unsafe jobs stay alive. */
export interface Kind {
  /** The trigger that starts it; a sender rings webhooks and reports incidents. */
  trigger: "webhook" | "incident" | "cron";
  definition(connections: ConnectionIds, files: ScriptFiles): unknown;
  /** Without a lost job. */
  endsAs: readonly ("succeeded" | "failed" | "cancelled")[];
  /** Its unsafe scripts say `onAgentLost: "retry"`: they may run twice, and a lost agent is no end. */
  mayRunAgain?: true;
  /** Pairs of nodes of which the second begins after the first has ended. */
  order?: readonly (readonly [string, string])[];
  /** What the sender puts into an event beside its key. */
  variables?(random: Random): Record<string, unknown>;
  /** The sender cancels the execution, so long after it was accepted. */
  cancelAfterMs?(random: Random): number;
}

export interface ScriptFiles {
  /** Where every script says that it begins and ends. */
  journal: string;
  /** Where scripts leave marks for their own next attempt. */
  marks: string;
}

const KEY = "{{webhook.key}}";
const SECONDS = "{{webhook.seconds | number}}";
const TIMEOUT_SECONDS = 120;
/** From 5 ms to a few seconds; most are short. */
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
        bash("mends", scripts, files),
      ],
      edges: [
        { from: "fails", to: "handler", on: "failure" },
        { from: "handler", to: "mends", on: "success" },
      ],
    }),
    endsAs: ["succeeded"],
    order: [["fails", "mends"]],
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
    // Its agent is alone there: who kills it should find it at work.
    variables: (random) => ({ seconds: random.whole(1, 5) }),
  },
  secret: {
    trigger: "webhook",
    // A careless script prints the secret that it was given: it must not get further than the agent.
    definition: ({ custom }, files) =>
      chain(bash("tell", custom, files, { last: 'echo "the password is $CHAOS_PASSWORD"; test -n "$CHAOS_PASSWORD"' })),
    endsAs: ["succeeded"],
    variables: seconds,
  },
  incident: {
    trigger: "incident",
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
  /** What the script does behind its work; its exit code is the script's. */
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

/** One after the other, each when the one before has succeeded. */
function chain(...nodes: AnyNode[]) {
  const edges = nodes.slice(1).map((node, index) => ({ from: nodes[index]?.id, to: node.id, on: "success" }));
  return { nodes, edges };
}
