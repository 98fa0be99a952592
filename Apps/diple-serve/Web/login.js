// Hands over the code that stands behind the # of the address, and takes it out of the history.
export async function logIn() {
  const code = location.hash.slice(1);
  if (!/^[0-9a-f]{32}$/.test(code)) return true;
  history.replaceState(null, "", location.pathname + location.search);
  const answer = await fetch("/api/login", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Diple": "1" },
    body: JSON.stringify({ code }),
  });
  return answer.ok;
}

const status = document.getElementById("status");
if (await logIn()) {
  const [, kind, id] = location.pathname.split("/");
  const answer = await fetch(kind === "d" ? `/api/documents/${id}` : "/api/library");
  const data = await answer.json();
  status.textContent = answer.ok ? (data.title ?? data.name) : `${data.error}; ${data.hint ?? ""}`;
} else {
  status.textContent = "This address was used already; press Enter in the terminal of diple serve for a new one.";
}
