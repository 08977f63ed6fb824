/** No user, no password, no blanks, no control characters, and no marks that reverse the direction of text. */
const WEB_ADDRESS = /^https?:\/\/(?![/\\]*[^/?#\\]*@)[^\s\p{Cc}\p{Bidi_Control}]+$/iu;

export const NO_WEB_ADDRESS = "must be an http:// or https:// address without blanks, user and password";

/** Whether a page may offer this text as a link to another site. */
export function isWebAddress(text: string): boolean {
  return WEB_ADDRESS.test(text);
}
