// Before the first paint, so that a dark page does not flash white; a file of its own, since the page allows no inline script.
(() => {
  const key = "bellhop-color-scheme";
  let chosen = "auto";
  try {
    chosen = localStorage.getItem(key) ?? "auto";
  } catch {
    // Storage may be forbidden: then the system decides.
  }
  const dark = chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
