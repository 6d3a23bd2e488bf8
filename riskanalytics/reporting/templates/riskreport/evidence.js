// Clauses next to their cell: a link to clauses opens them in a panel and changes the address.
const panel = { element: null, from: null };

function closed() {
  if (!panel.element) return;
  panel.element.remove();
  panel.element = null;
  root.classList.remove("reading");
  window.dispatchEvent(new Event("resize"));
  if (!panel.from || !panel.from.isConnected) return;
  if (panel.from.tabIndex < 0) panel.from.tabIndex = -1;
  panel.from.focus({ preventScroll: true });
}

function shownBeside(title, facts, goal, note, from) {
  const anchor = from && from.getBoundingClientRect ? from : null;
  const top = anchor ? anchor.getBoundingClientRect().top : 0;
  const before = panel.element;
  if (before) before.remove();
  const aside = made("aside", { class: "panel", role: "dialog", "aria-label": "Clauses: " + title, tabindex: "-1" });
  const bar = made("p", { class: "bar" });
  const close = made("button", { type: "button" }, "Close");
  close.addEventListener("click", closed);
  bar.append(close);
  if (goal) bar.append(made("a", { href: "#" + goal.id, class: "full" }, "In the list of evidence"));
  aside.append(bar, made("p", { class: "title" }, title));
  if (facts) aside.append(made("p", { class: "meta" }, facts));
  if (goal) {
    const copy = goal.cloneNode(true);
    copy.querySelectorAll("[id]").forEach((one) => one.removeAttribute("id"));
    copy.querySelectorAll(":scope > h3, .self").forEach((one) => one.remove());
    aside.append(...copy.childNodes);
  }
  if (note) aside.append(note);
  document.body.append(aside);
  panel.element = aside;
  panel.from = from || null;
  root.classList.add("reading");
  if (!before) window.dispatchEvent(new Event("resize"));
  aside.focus({ preventScroll: true });
  if (anchor) window.scrollBy({ top: anchor.getBoundingClientRect().top - top, behavior: "instant" });
}

function cellFacts(table, row, column) {
  const told = (row.dataset.c || "").split(",")[column - 3] || "";
  const count = parseInt(told, 10);
  const age = (row.dataset.d || "").split(",")[told.charCodeAt(told.length - 1) - 97];
  const cell = row.cells[column];
  const parts = [cell.title || LEVELS[plain(cell)] || plain(cell)];
  if (count && !cell.title) parts.push(count + (count === 1 ? " clause" : " clauses"));
  if (age && table.dataset.day) {
    parts.push("newest of " + new Date(Date.parse(table.dataset.day) - 864e5 * Number(age)).toISOString().slice(0, 10));
  }
  return parts;
}

function cellShown(table, row, column, from) {
  const link = row.cells[column].querySelector("a");
  const goal = link && goalOf(link.getAttribute("href"));
  const word = plain(row.cells[column]);
  const why = word === "" ? "No clause found in the documents. Silence is not a promise."
    : "The level is unknown: a document could not be read, or is in a language that is not read.";
  const note = goal ? null : word in { H: 1, M: 1, L: 1, "?": 1 } ? dossierNote(row) : made("p", { class: "note" }, why);
  shownBeside(plain(row.cells[0]) + ": " + heads(table)[column], cellFacts(table, row, column).join(" \u00b7 "), goal, note, from);
}

// Platforms whose clauses are not on the page: their name tells where these are, by keyboard too.
function reachable(table) {
  bodyRows(table).filter((row) => !row.cells[0].querySelector("a")).forEach((row) => {
    const name = made("button", { type: "button", class: "name" });
    name.append(...row.cells[0].childNodes);
    name.addEventListener("click", () => {
      shownBeside(plain(row.cells[0]), "Rated " + plain(row.cells[1]) + " \u00b7 evidence " + plain(row.cells[2]), null, dossierNote(row), name);
    });
    row.cells[0].append(name);
  });
}

function dossierNote(row) {
  const note = made("p", { class: "note" }, "The clauses of this platform are not on this page. Its dossier has them all: ");
  note.append(made("code", {}, "riskanalytics report platform_dossier -p platform=" + row.dataset.s));
  return note;
}

function clicked(event) {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || !event.target.closest) return;
  const cell = event.target.closest("table.matrix tbody td");
  if (cell && cell.cellIndex > 2) {
    event.preventDefault();
    cellShown(cell.closest("table"), cell.parentElement, cell.cellIndex, cell.querySelector("a") || cell);
    return;
  }
  const link = event.target.closest('a[href^="#"]');
  if (!link) return;
  if (link.matches(".full")) closed();
  const goal = goalOf(link.getAttribute("href"));
  if (goal && goal.matches(".clauses") && !link.matches(".full, .self")) {
    event.preventDefault();
    shownBeside(plain(goal.querySelector("h3") || goal), "", goal, null, link);
  } else if (link.getAttribute("href") === location.hash) reveal();
}
