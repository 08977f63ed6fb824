import { setNonce } from "get-nonce";

/** The page's own nonce: its styles are let through by it, and nobody else's (Content-Security-Policy). */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

// What Mantine's dialogs use to hold the page still asks for it there.
setNonce(nonce);
