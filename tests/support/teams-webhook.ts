import { asRecord, FakeApi, type FakeAnswer, type FakeApiOptions, type FakeRequest, jsonBody } from "./fake-api.ts";

const MESSAGE_MAX_BYTES = 28 * 1_024;
const CARD_FIELDS = new Set("type $schema version body actions fallbackText minHeight speak lang msteams".split(" "));
/** The elements that tests use, with the required member of each. */
const ELEMENTS: Record<string, string> = { TextBlock: "text", Image: "url", FactSet: "facts", Container: "items" };

/** The receiver of a channel's messages: a workflow of Power Automate, or an older incoming webhook. */
export type WebhookKind = "workflow" | "incoming";

/**
 * One channel's webhook. It accepts only its own address and only Adaptive Cards, and keeps the text that would be
 * shown.
 */
export class TeamsWebhook extends FakeApi {
  readonly cards: Record<string, unknown>[] = [];
  readonly #kind: WebhookKind;
  readonly secret = `${crypto.randomUUID().replaceAll("-", "")}`;

  constructor(kind: WebhookKind, options: FakeApiOptions) {
    super(options);
    this.#kind = kind;
  }

  static start(kind: WebhookKind = "workflow", options: FakeApiOptions = {}): Promise<TeamsWebhook> {
    return new TeamsWebhook(kind, options).listen();
  }

  /** The address that an operator copies from Teams. */
  get url(): string {
    return `${this.origin}${this.#path}${this.#kind === "workflow" ? `?${this.#query}` : ""}`;
  }

  get #path(): string {
    if (this.#kind === "incoming")
      return `/webhookb2/11111111-aaaa@22222222-bbbb/IncomingWebhook/${this.secret}/33333333-cccc`;
    return "/workflows/0a1b2c3d4e5f60718293a4b5c6d7e8f9/triggers/manual/paths/invoke";
  }

  get #query(): string {
    return `api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=${this.secret}`;
  }

  protected answer(request: FakeRequest): FakeAnswer {
    if (request.path !== this.#path)
      return { status: 404, json: failure("WorkflowNotFound", "The workflow could not be found.") };
    if (this.#kind === "workflow" && request.query.toString() !== new URLSearchParams(this.#query).toString()) {
      return { status: 401, json: failure("DirectApiAuthorizationRequired", "The request must be authenticated.") };
    }
    if (request.method !== "POST")
      return { status: 405, json: failure("MethodNotAllowed", `${request.method} is not allowed.`) };
    if (Buffer.byteLength(request.body) > MESSAGE_MAX_BYTES) return { status: 413, text: "Request Entity Too Large" };
    const contentType = request.headers["content-type"] ?? "";
    const problems = contentType.startsWith("application/json")
      ? messageProblems(request.body)
      : [`content type ${contentType}`];
    this.problems.push(...problems);
    if (problems.length > 0) {
      if (this.#kind === "incoming") return { status: 400, text: "Summary or Text is required." };
      return { status: 400, json: failure("TriggerInputSchemaMismatch", problems.join("; ")) };
    }
    this.cards.push(...cardsIn(request.body));
    return this.#kind === "workflow" ? { status: 202 } : { status: 200, text: "1" };
  }
}

function messageProblems(body: string): string[] {
  const message = jsonBody(body);
  if (message?.["type"] !== "message") return ["the body is no message"];
  const problems = Object.keys(message)
    .filter((name) => name !== "type" && name !== "attachments")
    .map((name) => `the message has a field ${name}`);
  const attachments = attachmentsIn(body);
  if (attachments.length === 0) problems.push("the message has no attachment");
  for (const { contentType, contentUrl, content, ...rest } of attachments) {
    problems.push(...Object.keys(rest).map((name) => `an attachment has a field ${name}`));
    if (contentType !== "application/vnd.microsoft.card.adaptive") problems.push("an attachment is no Adaptive Card");
    if (contentUrl !== undefined && contentUrl !== null) problems.push("an attachment has a contentUrl");
    problems.push(...cardProblems(asRecord(content)));
  }
  return problems;
}

function cardProblems(card: Record<string, unknown> | null): string[] {
  if (card?.["type"] !== "AdaptiveCard") return ["the card is no AdaptiveCard"];
  const problems = Object.keys(card)
    .filter((name) => !CARD_FIELDS.has(name))
    .map((name) => `the card has a field ${name}`);
  if (!/^1\.[0-5]$/u.test(String(card["version"]))) problems.push("the card has no version that Teams knows");
  const body: unknown[] = Array.isArray(card["body"]) ? card["body"] : [];
  for (const element of body) {
    const { type, ...fields } = asRecord(element) ?? {};
    const needed = ELEMENTS[String(type)];
    if (needed === undefined || fields[needed] === undefined) problems.push(`an element ${String(type)} is not valid`);
  }
  return problems;
}

function cardsIn(body: string): Record<string, unknown>[] {
  return attachmentsIn(body).map(({ content }) => asRecord(content) ?? {});
}

function attachmentsIn(body: string): Record<string, unknown>[] {
  const list = jsonBody(body)?.["attachments"];
  const entries: unknown[] = Array.isArray(list) ? list : [];
  return entries.map((entry) => asRecord(entry) ?? {});
}

function failure(code: string, message: string): unknown {
  return { error: { code, message } };
}
