/** Browsers allow six connections to one service without TLS: a page that nobody looks at gives its own back. */
const HIDDEN_FOR_MS = 30_000;

/** Keeps a stream open while the page is looked at. Gives what ends that; the stream is closed by then. */
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
  // A network that is back has often left dead connections behind.
  const anew = () => {
    if (isOpen) stream.open();
  };
  look();
  document.addEventListener("visibilitychange", look);
  window.addEventListener("online", anew);
  return () => {
    clearTimeout(hidden);
    document.removeEventListener("visibilitychange", look);
    window.removeEventListener("online", anew);
    stream.close();
  };
}
