import { z } from "zod";

/**
 * A receiver of traces by OTLP/HTTP that takes the JSON form only, as strictly as the protocol's JSON mapping: names in
 * lowerCamelCase, ids in hexadecimal, enumerations as numbers, 64-bit numbers as decimal texts, and no other field.
 */
export interface OtlpReceiver {
  readonly url: string;
  /** The accepted spans. */
  readonly spans: ReceivedSpan[];
  /** Every request, also refused ones. */
  readonly requests: { readonly path: string; readonly headers: Headers; readonly body: string }[];
  /** Why requests did not have the protocol's form. */
  readonly problems: string[];
  /** The answer to the next requests, instead of storing their spans. They are stored when it is undefined. */
  answers: ((request: { body: string }) => Response | Promise<Response> | undefined) | null;
  /** The spans by their name. */
  named(name: string): ReceivedSpan[];
  stop(): Promise<void>;
}

const traceId = z.string().regex(/^(?!0{32})[0-9a-f]{32}$/u);
const spanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/u);
const nanoseconds = z.string().regex(/^[1-9]\d{18}$/u);
const attributes = z.array(
  z.strictObject({
    key: z.string().min(1),
    value: z.union([
      z.strictObject({ stringValue: z.string() }),
      z.strictObject({ boolValue: z.boolean() }),
      z.strictObject({ intValue: z.string().regex(/^-?\d+$/u) }),
    ]),
  }),
);
const spanSchema = z
  .strictObject({
    traceId,
    spanId,
    parentSpanId: spanId.optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes,
    events: z.array(z.strictObject({ timeUnixNano: nanoseconds, name: z.string().min(1), attributes })),
    links: z.array(z.strictObject({ traceId, spanId })),
    status: z.strictObject({ code: z.literal(2).optional(), message: z.string().optional() }),
  })
  .refine((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), "it ends before it begins");
const requestSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(spanSchema).min(1),
        }),
      ),
    }),
  ),
});

export type ReceivedSpan = Omit<z.infer<typeof spanSchema>, "attributes"> & {
  readonly attributes: Readonly<Record<string, string | boolean | undefined>>;
  readonly service: string | boolean | undefined;
};

export function startOtlpReceiver(): OtlpReceiver {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      receiver.requests.push({ path: new URL(request.url).pathname, headers: request.headers, body });
      const answer = await receiver.answers?.({ body });
      if (answer !== undefined) return answer;
      const problem = takes(request, body);
      if (problem === null) return Response.json({});
      receiver.problems.push(problem);
      return Response.json({ message: problem }, { status: 400 });
    },
  });
  const receiver: OtlpReceiver = {
    url: server.url.origin,
    spans: [],
    requests: [],
    problems: [],
    answers: null,
    named: (name) => receiver.spans.filter((span) => span.name === name),
    stop: () => server.stop(true),
  };
  return receiver;

  function takes(request: Request, body: string): string | null {
    const { pathname } = new URL(request.url);
    if (request.method !== "POST" || pathname !== "/v1/traces") return `${request.method} ${pathname}`;
    if (request.headers.get("content-type") !== "application/json") return "the content type";
    const parsed = requestSchema.safeParse(JSON.parse(body));
    if (!parsed.success) return z.prettifyError(parsed.error);
    for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
      const service = valuesOf(resource.attributes)["service.name"];
      const spans = scopeSpans.flatMap((scope) => scope.spans);
      receiver.spans.push(...spans.map((span) => ({ ...span, attributes: valuesOf(span.attributes), service })));
    }
    return null;
  }
}

function valuesOf(given: z.infer<typeof attributes>): Record<string, string | boolean | undefined> {
  const values = given.map(({ key, value }): [string, string | boolean] => [key, Object.values(value)[0] ?? ""]);
  return Object.fromEntries(values);
}

/** The names of a span's children as a tree, in the order of their times and names. */
export interface SpanTree {
  [name: string]: SpanTree;
}

/** All spans of these as one tree by name, each name with its position among siblings of that name. */
export function treeOf(spans: readonly ReceivedSpan[]): SpanTree {
  const ids = new Set(spans.map((span) => span.spanId));
  if (ids.size !== spans.length) throw new Error("two spans have one id");
  const childrenOf = (parent: string | undefined): SpanTree => {
    const children = spans
      .filter(({ parentSpanId }) => (parent === undefined ? !ids.has(parentSpanId ?? "") : parentSpanId === parent))
      .toSorted((a, b) => compare(a.startTimeUnixNano, b.startTimeUnixNano) || compare(a.name, b.name));
    const seen = new Map<string, number>();
    return Object.fromEntries(
      children.map((child) => {
        const count = (seen.get(child.name) ?? 0) + 1;
        seen.set(child.name, count);
        return [count === 1 ? child.name : `${child.name} (${count})`, childrenOf(child.spanId)];
      }),
    );
  };
  return childrenOf(undefined);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
