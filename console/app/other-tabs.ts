/** Between the tabs of one browser, which share its session. Nothing is told but that it is another now. */
const channel = new BroadcastChannel("bellhop-session");

/** Tells the other tabs that somebody has signed in or out here. */
export function notifyOtherTabs(): void {
  // A window's has a target; a channel has none.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(null);
}

/** Calls `listener` whenever another tab tells that; gives what ends it. */
export function onOtherTabChange(listener: () => void): () => void {
  channel.addEventListener("message", listener);
  return () => channel.removeEventListener("message", listener);
}
