/** Without TLS a browser allows six connections to one service: a hidden page closes its stream. */
const HIDDEN_FOR_MS = 30_000;

/** Keeps a stream open while the page is visible. Returns a function that ends this and closes the stream. */
export function whileLookedAt(stream: { open: () => void; close: () => void }): () => void {
  let hidden: ReturnType<typeof setTimeout> | undefined;
  let isOpen = false;
  const look = () => {
    clearTimeout(hidden);
    if (document.visibilityState === "hidden") {
      hidden = setTimeout(() => {
        isOpen = false;
        stream.close();
      }, HIDDEN_FOR_MS);
    } else if (!isOpen) {
      isOpen = true;
      stream.open();
    }
  };
  // A network that comes back has often left dead connections behind.
  const reopen = () => {
    if (isOpen) stream.open();
  };
  look();
  document.addEventListener("visibilitychange", look);
  window.addEventListener("online", reopen);
  return () => {
    clearTimeout(hidden);
    document.removeEventListener("visibilitychange", look);
    window.removeEventListener("online", reopen);
    stream.close();
  };
}
