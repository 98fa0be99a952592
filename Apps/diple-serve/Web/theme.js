// Runs before the first paint, so that a page never flashes in the wrong theme.
(() => {
  let chosen = {};
  try {
    chosen = JSON.parse(localStorage.getItem("diple.appearance")) ?? {};
  } catch {
    // Without storage, or with invalid data in it, the page has its default appearance.
  }
  const root = document.documentElement;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const themes = ["light", "sepia", "dark"];
  root.dataset.theme = themes.includes(chosen.theme) ? chosen.theme : isDark ? "dark" : "light";
  if (Number.isInteger(chosen.size)) root.dataset.size = String(chosen.size);
  if (chosen.font === "sans") root.dataset.font = "sans";
  if (["narrow", "wide"].includes(chosen.width)) root.dataset.width = chosen.width;
  if (chosen.letters === false) root.dataset.letters = "off";
})();
