/** Messages for Slack and Teams. A value in the text can neither format nor link nor mention anyone. */

/** Teams refuses a message of more than 28 KB; each line is an element of its card. */
const CARD_LINES_MAX = 60;
/** Slack refuses blocks of more than about 13,000 characters of JSON. */
const SLACK_TEXT_MAX_JSON_CHARS = 12_000;
/** In English, as every text of the service. */
const OPEN = "Open in Bellhop";

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
  const shown = shortenedForSlack(text);
  const section = (...elements: object[]) => ({ type: "rich_text_section", elements });
  const elements = [
    section({ type: "text", text: title === "" ? " " : title, style: { bold: true } }),
    ...(shown === "" ? [] : [section({ type: "text", text: shown })]),
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
  const lines = text.split(/\r\n|\r|\n/u);
  const shown = lines.length <= CARD_LINES_MAX ? lines : [...lines.slice(0, CARD_LINES_MAX), "…"];
  const block = (run: object) => ({ type: "RichTextBlock", inlines: [{ type: "TextRun", ...run }] });
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.2",
    msteams: { width: "Full" },
    body: [
      block({ text: oneLine(subject), weight: "Bolder", size: "Medium" }),
      ...shown.map((line) => block({ text: line === "" ? " " : line })),
    ],
    ...(url === null ? {} : { actions: [{ type: "Action.OpenUrl", title: OPEN, url }] }),
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
  return { type: "message", attachments: [attachment] };
}

function shortenedForSlack(text: string): string {
  let shown = text;
  while (JSON.stringify(shown).length > SLACK_TEXT_MAX_JSON_CHARS) shown = shown.slice(0, shown.length * 0.9);
  return shown === text ? text : `${shown.toWellFormed()}…`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ").trim();
}
