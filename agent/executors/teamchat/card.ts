import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { invalidParams } from "../shared/failures.ts";

const CARD_TYPE = "application/vnd.microsoft.card.adaptive";
/** The limit of Teams for one message. It refuses a larger one, or accepts it and never shows it. */
const MESSAGE_MAX_BYTES = 28 * 1_024;
/** Every Teams client supports it. */
const CARD_VERSION = "1.4";

/** A card with a title and a text, both in the Markdown of Adaptive Cards: bold, lists and links. */
export function messageCard({ text, title = "" }: ActionParams<"teamchat.sendMessage">): JsonObject {
  if (text.trim() === "" && title.trim() === "") throw invalidParams("text must not be empty.");
  const heading: JsonObject = { type: "TextBlock", text: title, size: "Large", weight: "Bolder", wrap: true };
  return {
    type: "AdaptiveCard",
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    version: CARD_VERSION,
    // Teams shows cards narrow by default.
    msteams: { width: "Full" },
    body: [
      ...(title.trim() === "" ? [] : [heading]),
      ...(text.trim() === "" ? [] : [{ type: "TextBlock", text: withLineBreaks(text), wrap: true }]),
    ],
  };
}

/** A workflow's own card, checked as far as possible: Teams often drops an invalid one silently. */
export function checkedCard(card: JsonObject): JsonObject {
  if (card["type"] === "message" || "attachments" in card) {
    throw invalidParams(
      'card must be the card itself, which has "type": "AdaptiveCard": leave out the message around it.',
    );
  }
  if (card["type"] !== "AdaptiveCard") {
    throw invalidParams(
      'card must have "type": "AdaptiveCard". Workflows do not show other types, such as MessageCard.',
    );
  }
  const { version } = card;
  if (typeof version !== "string" || !/^1\.[0-5]$/u.test(version)) {
    throw invalidParams(`card must have a version from "1.0" to "1.5", as a text; "${CARD_VERSION}" works everywhere.`);
  }
  for (const name of ["body", "actions"]) {
    if (card[name] !== undefined && !Array.isArray(card[name])) throw invalidParams(`card.${name} must be a list.`);
  }
  return card;
}

/** The message format of both Workflows URLs and incoming webhooks. */
export function envelope(card: JsonObject): JsonObject {
  const message = {
    type: "message",
    attachments: [{ contentType: CARD_TYPE, contentUrl: null, content: card }],
  };
  const bytes = Buffer.byteLength(JSON.stringify(message));
  if (bytes <= MESSAGE_MAX_BYTES) return message;
  throw invalidParams(
    `The message has ${bytes} bytes, and Teams accepts ${MESSAGE_MAX_BYTES} (28 KB). Shorten it, or link to the details.`,
  );
}

/** In Markdown a single line break is a space, but the lines of an alert are meant as lines. */
function withLineBreaks(text: string): string {
  return text.replaceAll(/\r\n?/gu, "\n").replaceAll(/(?<!\n)\n(?!\n)/gu, "\n\n");
}
