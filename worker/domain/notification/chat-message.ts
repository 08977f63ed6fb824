/** Messages for Slack and Teams. A value in the text can neither format nor link nor mention anyone. */

/** Teams refuses a message of more than 28 KB; each line is an element of its card. */
const CARD_LINES_MAX = 60;
/** In English, as every text of the service. */
const OPEN = "Open in Bellhop";

export interface ChatMessage {
  readonly subject: string;
  readonly text: string;
  readonly url: string | null;
}

/** An incoming webhook's message. In mrkdwn, only `&`, `<` and `>` begin links, mentions and commands. */
export function slackBody({ subject, text, url }: ChatMessage) {
  const link = url === null ? [] : [`<${escaped(url)}|${OPEN}>`];
  const lines = [`*${escaped(oneLine(subject)).replaceAll("*", "∗")}*`, escaped(text), ...link];
  return { text: lines.join("\n"), unfurl_links: false, unfurl_media: false };
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

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ").trim();
}
