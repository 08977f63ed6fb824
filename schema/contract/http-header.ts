/** RFC 9110, 5.6.2. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/u;
/** RFC 9110, 5.5; line breaks in a value would begin another header, or another request. */
export const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u;
/** The agent sets these: they describe how the message itself travels. */
const OF_THE_MESSAGE = new Set(
  "connection content-length keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);
/** Headers that follow a redirect to another origin: none of them identifies the caller. */
export const HARMLESS_HEADERS = new Set(["accept", "accept-language", "accept-encoding", "user-agent"]);

export function isOfTheMessage(header: string): boolean {
  return OF_THE_MESSAGE.has(header.toLowerCase());
}

/** Whether a header may carry an API key. */
export function canCarryKey(header: string): boolean {
  const name = header.toLowerCase();
  return !isOfTheMessage(name) && name !== "host" && !HARMLESS_HEADERS.has(name);
}
