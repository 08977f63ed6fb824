// Sets the colour scheme before the first paint, so that a dark page does not flash white. A separate file, since the
// page allows no inline script.
(() => {
  const key = "bellhop-color-scheme";
  let chosen = "auto";
  try {
    chosen = localStorage.getItem(key) ?? "auto";
  } catch {
    // Storage may be forbidden: the system's setting then applies.
  }
  const dark = chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
