/** Connects the tabs of one browser, which share its session. A message says only that the session changed. */
const channel = new BroadcastChannel("bellhop-session");

/** Notifies the other tabs that a person has signed in or out in this one. */
export function notifyOtherTabs(): void {
  // A channel's postMessage takes no target origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(null);
}

/** Calls `listener` when another tab has signed in or out. Returns a function that removes the listener. */
export function onOtherTabChange(listener: () => void): () => void {
  channel.addEventListener("message", listener);
  return () => channel.removeEventListener("message", listener);
}
