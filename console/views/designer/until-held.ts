/**
 * Repeats an attempt to move the focus in every frame until it succeeds in several consecutive ones, since a closing
 * dialog moves the focus once more. A click or tap ends the attempts.
 */
export function untilHeld(attempt: () => boolean, frames: number): void {
  let held = 0;
  let left = frames;
  const given = new AbortController();
  addEventListener("pointerdown", () => given.abort(), { capture: true, signal: given.signal });
  const next = () => {
    if (given.signal.aborted) return;
    left -= 1;
    held = attempt() ? held + 1 : 0;
    if (held < 4 && left > 0) requestAnimationFrame(next);
    else given.abort();
  };
  requestAnimationFrame(next);
}
