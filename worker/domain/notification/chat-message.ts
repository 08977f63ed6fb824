/** Messages for Slack and Teams. A value in the text can neither format nor link nor mention anyone. */

/** Each line is an element of a Teams card. */
const CARD_LINES_MAX = 60;
/** Of what is made of a text: Teams refuses a message of more than 28 KB. */
const CARD_TEXT_MAX_JSON_CHARS = 26_000;
/** Slack refuses blocks of more than about 13,000 characters of JSON. */
const SLACK_TEXT_MAX_JSON_CHARS = 12_000;
/** In English, as every text of the service. */
const OPEN = "Open in Bellhop";
const OPEN_SHORT = "Open";

export interface ChatMessage {
  readonly subject: string;
  readonly text: string;
  readonly url: string | null;
}

/**
 * An incoming webhook's message. Slack reads no markup and makes no links in the text elements of a rich text block
 * (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block). `text` is for notifications and screen readers
 * only; without blocks it would be mrkdwn, in which `&`, `<` and `>` begin links and mentions.
 */
export function slackBody({ subject, text, url }: ChatMessage) {
  const title = oneLine(subject);
  const inSlack = (shown: string) => slackElements(linesOf(shown, url));
  const shown = shortened(text, (some) => JSON.stringify(inSlack(some)).length <= SLACK_TEXT_MAX_JSON_CHARS);
  const section = (...elements: object[]) => ({ type: "rich_text_section", elements });
  const elements = [
    section({ type: "text", text: title === "" ? " " : title, style: { bold: true } }),
    ...(shown === "" ? [] : [section(...inSlack(shown))]),
    ...(url === null ? [] : [section({ type: "link", url, text: OPEN })]),
  ];
  return {
    text: escaped(`${title}\n${shown}`),
    blocks: [{ type: "rich_text", elements }],
    unfurl_links: false,
    unfurl_media: false,
  };
}

/**
 * An Adaptive Card for the incoming webhook of a Teams workflow. Rich text blocks, because those have no Markdown that
 * a value could use.
 */
export function teamsBody({ subject, text, url }: ChatMessage) {
  const block = (...runs: object[]) => ({
    type: "RichTextBlock",
    inlines: runs.map((run) => ({ type: "TextRun", ...run })),
  });
  const inCard = (some: string) => {
    const lines = linesOf(some, url);
    const shown =
      lines.length <= CARD_LINES_MAX ? lines : [...lines.slice(0, CARD_LINES_MAX), { said: "…", link: null }];
    return shown.map(({ said, link }) =>
      link === null
        ? block({ text: said === "" ? " " : said })
        : block({ text: `${said} ` }, { text: OPEN_SHORT, selectAction: { type: "Action.OpenUrl", url: link } }),
    );
  };
  const shown = shortened(text, (some) => JSON.stringify(inCard(some)).length <= CARD_TEXT_MAX_JSON_CHARS);
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.2",
    msteams: { width: "Full" },
    body: [block({ text: oneLine(subject), weight: "Bolder", size: "Medium" }), ...inCard(shown)],
    ...(url === null ? {} : { actions: [{ type: "Action.OpenUrl", title: OPEN, url }] }),
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
  return { type: "message", attachments: [attachment] };
}

interface Line {
  readonly said: string;
  readonly link: string | null;
}

/** A page of the console: nothing that a value could add leads elsewhere. */
const OWN_PATH = /^\/[\w/-]+$/u;

/** The lines of a text. One that ends with the address of a page of this deployment, as those of several events do, has a link. */
function linesOf(text: string, url: string | null): Line[] {
  const origin = url === null ? undefined : /^https?:\/\/[^/?#]+/u.exec(url)?.[0];
  return text.split(/\r\n|\r|\n/u).map((line) => {
    const space = line.lastIndexOf(" ");
    const last = line.slice(space + 1);
    const isOwn =
      origin !== undefined && space > 0 && last.startsWith(origin) && OWN_PATH.test(last.slice(origin.length));
    return isOwn ? { said: line.slice(0, space), link: last } : { said: line, link: null };
  });
}

function slackElements(lines: readonly Line[]): object[] {
  const elements: object[] = [];
  let said = "";
  for (const [n, line] of lines.entries()) {
    said += `${n === 0 ? "" : "\n"}${line.said}`;
    if (line.link === null) continue;
    elements.push({ type: "text", text: `${said} ` }, { type: "link", url: line.link, text: OPEN_SHORT });
    said = "";
  }
  return said === "" ? elements : [...elements, { type: "text", text: said }];
}

function shortened(text: string, fits: (text: string) => boolean): string {
  let shown = text;
  while (!fits(shown)) shown = `${shown.slice(0, shown.length * 0.9).toWellFormed()}…`;
  return shown;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ").trim();
}
