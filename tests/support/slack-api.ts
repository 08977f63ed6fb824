import { FakeApi, type FakeAnswer, type FakeApiOptions, type FakeRequest, jsonBody } from "./fake-api.ts";
import { blockProblems } from "./slack-blocks.ts";
import { vendorApi } from "./vendor-api/index.ts";
import { SLACK } from "./vendor-api/slack.ts";

const DESCRIPTION = vendorApi(SLACK, "slack.json");

export const SLACK_TOKEN = "xoxb-1234567890-abcdefghijklmnop";
const TEXT_MAX_CHARS = 40_000;
const EMOJI = new Set(["thumbsup", "eyes", "white_check_mark", "+1", "wave::skin-tone-2"]);
export interface SlackMessage {
  ts: string;
  text: string;
  blocks: unknown;
  threadTs: string | null;
  /** The bot's own message, or a person's, which the bot may not change. */
  own: boolean;
  reactions: string[];
}

interface Channel {
  name: string;
  isMember: boolean;
  isArchived: boolean;
  messages: SlackMessage[];
}

/**
 * The methods of the Slack Web API that the actions call, with a workspace. Slack answers nearly all calls with 200.
 */
export class SlackApi extends FakeApi {
  scopes = ["chat:write", "reactions:write", "channels:read"];
  readonly channels: Record<string, Channel> = {
    C0INCIDENTS: { name: "incidents", isMember: true, isArchived: false, messages: [] },
    C0ELSEWHERE: { name: "elsewhere", isMember: false, isArchived: false, messages: [] },
    C0ARCHIVED: { name: "archived", isMember: true, isArchived: true, messages: [] },
  };
  #next = 1;

  static start(options: FakeApiOptions = {}): Promise<SlackApi> {
    return new SlackApi(options).listen();
  }

  /** The value for SLACK_API_URL. */
  get url(): string {
    return `${this.origin}/api`;
  }

  messages(channel: string): SlackMessage[] {
    return this.channels[channel]?.messages ?? [];
  }

  /** A message from another person. */
  post(channel: string, text: string): string {
    return this.#add(channel, { text, blocks: undefined, threadTs: null, own: false });
  }

  protected answer(request: FakeRequest): FakeAnswer {
    const method = request.path.replace(/^\/api\//u, "");
    const { authorization } = request.headers;
    if (authorization === undefined) return this.#no("not_authed");
    if (authorization !== `Bearer ${SLACK_TOKEN}`) return this.#no("invalid_auth");
    const problems = this.#check(request);
    this.problems.push(...problems.map((problem) => `${method}: ${problem}`));
    if (problems.length > 0) return this.#no("invalid_arguments", { response_metadata: { messages: problems } });
    const body = jsonBody(request.body) ?? Object.fromEntries(request.query);
    switch (method) {
      case "auth.test":
        return this.#ok({
          url: "https://acme.slack.com/",
          team: "Acme",
          user: "bellhop",
          team_id: "T0ACME",
          user_id: "U0BELLHOP",
          bot_id: "B0BELLHOP",
        });
      case "conversations.info":
        return this.#info(text(body, "channel"));
      case "chat.postMessage":
        return this.#needs("chat:write") ?? this.#post(body);
      case "chat.update":
        return this.#needs("chat:write") ?? this.#update(body);
      case "reactions.add":
        return this.#needs("reactions:write") ?? this.#react(body);
      default:
        return this.#no("unknown_method");
    }
  }

  #check(request: FakeRequest): string[] {
    const contentType = request.headers["content-type"] ?? null;
    if (request.method === "POST" && contentType?.toLowerCase() !== "application/json; charset=utf-8") {
      return [`the content type is ${contentType}: Slack wants JSON with its charset`];
    }
    const { path, query, body } = request;
    return DESCRIPTION.check({ method: request.method, path, query, contentType, body });
  }

  #post(body: Record<string, unknown>): FakeAnswer {
    const id = this.#idOf(text(body, "channel"));
    const channel = id === null ? undefined : this.channels[id];
    if (id === null || channel === undefined) return this.#no("channel_not_found");
    if (channel.isArchived) return this.#no("is_archived");
    if (!channel.isMember) return this.#no("not_in_channel");
    const wrong = this.#content(body);
    if (wrong !== null) return wrong;
    const threadTs = typeof body["thread_ts"] === "string" ? body["thread_ts"] : null;
    if (threadTs !== null && !channel.messages.some(({ ts }) => ts === threadTs)) return this.#no("thread_not_found");
    const ts = this.#add(id, { text: text(body, "text"), blocks: body["blocks"], threadTs, own: true });
    return this.#ok({ channel: id, ts, message: { type: "message", bot_id: "B0BELLHOP", text: body["text"], ts } });
  }

  #update(body: Record<string, unknown>): FakeAnswer {
    const found = this.#find(body, "ts");
    if ("status" in found) return found;
    if (!found.own) return this.#no("cant_update_message");
    const wrong = this.#content(body);
    if (wrong !== null) return wrong;
    found.text = text(body, "text");
    if (body["blocks"] !== undefined) found.blocks = body["blocks"];
    return this.#ok({ channel: body["channel"], ts: found.ts, text: found.text, message: { text: found.text } });
  }

  #react(body: Record<string, unknown>): FakeAnswer {
    const found = this.#find(body, "timestamp");
    if ("status" in found) return found;
    const name = text(body, "name");
    if (!EMOJI.has(name)) return this.#no("invalid_name");
    if (found.reactions.includes(name)) return this.#no("already_reacted");
    found.reactions.push(name);
    return this.#ok({});
  }

  #info(id: string): FakeAnswer {
    const refused = this.#needs("channels:read");
    if (refused !== null) return refused;
    const channel = this.channels[id];
    if (channel === undefined) return this.#no("channel_not_found");
    const { name, isArchived, isMember } = channel;
    return this.#ok({ channel: { id, name, is_archived: isArchived, is_member: isMember } });
  }

  #find(body: Record<string, unknown>, name: string): SlackMessage | FakeAnswer {
    // Unlike chat.postMessage, these methods do not accept a channel's name.
    const channel = this.channels[text(body, "channel")];
    if (channel === undefined) return this.#no("channel_not_found");
    return channel.messages.find(({ ts }) => ts === body[name]) ?? this.#no("message_not_found");
  }

  #content(body: Record<string, unknown>): FakeAnswer | null {
    const { blocks } = body;
    if (text(body, "text").length > TEXT_MAX_CHARS) return this.#no("msg_too_long");
    if (blocks !== undefined && !Array.isArray(blocks)) return this.#no("invalid_blocks_format");
    const list: unknown[] = blocks ?? [];
    if (list.length === 0) return text(body, "text") === "" ? this.#no("no_text") : null;
    const messages = blockProblems(list);
    return messages.length === 0 ? null : this.#no("invalid_blocks", { response_metadata: { messages } });
  }

  #idOf(channel: string): string | null {
    const byName = Object.entries(this.channels).find(([, { name }]) => `#${name}` === channel);
    return Object.hasOwn(this.channels, channel) ? channel : (byName?.[0] ?? null);
  }

  #add(channel: string, message: Omit<SlackMessage, "ts" | "reactions">): string {
    const ts = `1712345678.${String(this.#next++).padStart(6, "0")}`;
    this.channels[channel]?.messages.push({ ts, reactions: [], ...message });
    return ts;
  }

  #needs(scope: string): FakeAnswer | null {
    if (this.scopes.includes(scope)) return null;
    return this.#no("missing_scope", { needed: scope, provided: this.scopes.join(",") });
  }

  #ok(fields: Record<string, unknown>): FakeAnswer {
    return { status: 200, headers: { "x-oauth-scopes": this.scopes.join(",") }, json: { ok: true, ...fields } };
  }

  #no(error: string, fields: Record<string, unknown> = {}): FakeAnswer {
    return { status: 200, headers: { "x-oauth-scopes": this.scopes.join(",") }, json: { ok: false, error, ...fields } };
  }
}

function text(body: Record<string, unknown>, name: string): string {
  const value = body[name];
  return typeof value === "string" ? value : "";
}
