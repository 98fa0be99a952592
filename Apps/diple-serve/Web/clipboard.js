// Copies text. On pages without encryption browsers have no `navigator.clipboard`, so the older
// `execCommand` is used there.

/**
 * Copies a text, and its HTML for programs that paste formatted text. Keeps the focus and the
 * selection; throws if the browser does not allow it.
 */
export async function copyText(text, html) {
  if (navigator.clipboard) {
    if (!html || !globalThis.ClipboardItem) return navigator.clipboard.writeText(text);
    const blob = (type, words) => new Blob([words], { type });
    return navigator.clipboard.write([
      new ClipboardItem({
        "text/plain": blob("text/plain", text),
        "text/html": blob("text/html", html),
      }),
    ]);
  }
  const before = document.activeElement;
  const selection = getSelection();
  const ranges = [];
  for (let index = 0; index < selection.rangeCount; index++) {
    ranges.push(selection.getRangeAt(index));
  }
  let isCopied = false;
  const copy = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData.setData("text/plain", text);
    if (html) event.clipboardData.setData("text/html", html);
    isCopied = true;
  };
  document.addEventListener("copy", copy, true);
  try {
    document.execCommand("copy");
  } finally {
    document.removeEventListener("copy", copy, true);
  }
  before?.focus?.({ preventScroll: true });
  selection.removeAllRanges();
  for (const range of ranges) selection.addRange(range);
  if (!isCopied) throw new Error("The browser does not allow this page to copy.");
}
