// Addresses inside the page: what a link leads to is opened, and every section and clause can be linked to.
const root = document.documentElement;

function made(tag, attributes, words) {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (words !== undefined) element.textContent = words;
  return element;
}

function goalOf(hash) {
  try { return hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null; } catch { return null; }
}

function reveal() {
  const goal = goalOf(location.hash);
  if (!goal) return;
  const table = goal.closest("tr[hidden]") && goal.closest("table");
  const tools = table && document.querySelector('.tools[data-for="' + table.id + '"]');
  if (tools) {
    tools.querySelectorAll("input, select").forEach((one) => { one.value = one.matches(".level") ? "all" : ""; });
    tools.dataset.all = "1";
    tools.querySelector("input").dispatchEvent(new Event("input", { bubbles: true }));
  }
  for (let part = goal; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  goal.scrollIntoView();
}

function linked(goal, shown, what) {
  if (!shown || shown.querySelector(":scope > .self")) return;
  shown.append(" ", made("a", { class: "self", href: "#" + goal.id, "aria-label": "Link to this " + what, title: "Link to this " + what }, "#"));
}

function linkable() {
  document.querySelectorAll("h2[id], h3[id], .clauses[id], figure[id]").forEach((goal) => {
    linked(goal, goal.matches(".clauses, figure") ? goal.querySelector("h3, .title") : goal, "part");
  });
  document.addEventListener("pointerover", (event) => {
    const quote = event.target.closest && event.target.closest("blockquote[id]");
    if (quote) linked(quote, quote.nextElementSibling, "clause");
  });
}

function aged() {
  const facts = document.getElementById("report-facts");
  const told = facts ? JSON.parse(facts.textContent) : {};
  const end = told.source && !told.source.startsWith("Demo:") ? told.as_of : "";
  const days = end ? Math.floor((Date.now() - Date.parse(end)) / 86400000) : 0;
  const place = document.querySelector("main h1");
  if (days > 0 && place) place.after(made("p", { class: "meta", id: "data-age" }, "The data of this page end " + end + ", " + days + (days === 1 ? " day" : " days") + " ago."));
}

function opened() {
  document.querySelectorAll("main details").forEach((part) => { if (!part.closest("figure, .decide")) part.open = true; });
}
