let newest = new AbortController();

/**
 * Repeats an attempt to move the focus in every frame until it succeeds in several consecutive ones, since a closing
 * dialog moves the focus once more. A newer attempt ends it, and so does a person who goes on: with a click or tap, the
 * Tab key, or input in a field.
 */
export function untilHeld(attempt: () => boolean, frames: number): void {
  let held = 0;
  let left = frames;
  newest.abort();
  const given = new AbortController();
  newest = given;
  const options = { capture: true, signal: given.signal };
  for (const type of ["pointerdown", "input"]) addEventListener(type, () => given.abort(), options);
  addEventListener("keydown", ({ key }) => key === "Tab" && given.abort(), options);
  const next = () => {
    if (given.signal.aborted) return;
    left -= 1;
    held = attempt() ? held + 1 : 0;
    if (held < 4 && left > 0) requestAnimationFrame(next);
    else given.abort();
  };
  requestAnimationFrame(next);
}
