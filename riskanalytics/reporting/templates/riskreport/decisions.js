// Decisions: what the reader decides about clauses and changes is kept while the page is open, and saved as a file.
const DECISIONS = { "": ["Choose"], accept: ["Accept", "Accepted"], dispute: ["Dispute", "Disputed"], ask_counsel: ["Ask counsel", "Counsel asked"] };
const decisions = { made: new Map(), subjects: new Map(), name: "", day: null, kept: true, saved: true, bar: null };

// Only pages of one title and day share their memory: a reviewer may work for several organisations.
function placeOf(key) { return "riskanalytics decision " + document.title + " " + decisions.day + " " + key; }

function remembered(key) {
  try {
    if (decisions.made.has(key)) localStorage.setItem(placeOf(key), JSON.stringify(decisions.made.get(key)));
    else localStorage.removeItem(placeOf(key));
    localStorage.setItem("riskanalytics reviewer", decisions.name);
  } catch { decisions.kept = false; }
}

function recalled() {
  try {
    decisions.name = localStorage.getItem("riskanalytics reviewer") || "";
    for (const key of decisions.subjects.keys()) {
      const kept = localStorage.getItem(placeOf(key));
      if (kept) decisions.made.set(key, JSON.parse(kept));
    }
  } catch { decisions.kept = false; }
}

function clauseOf(records, quote) {
  const record = records.quotes[Number(quote.dataset.q)];
  const text = records.snapshots[record.snapshot];
  const removed = quote.matches(".del, .pair > :first-child *");
  return { finding_id: record.finding_id, platform: text.slug, document: text.document, surface: record.surface, quote: record.quote,
    lead_in: record.lead_in || "", snapshot_sha256: text.sha256, start: record.start, end: record.end, removed };
}

function offered(change_id, quotes, records, place) {
  const clauses = quotes.map((quote) => clauseOf(records, quote));
  const first = clauses[0];
  if (!first || !clauses.every((one) => one.platform && one.document)) return;
  const key = change_id || [first.platform, first.surface, first.snapshot_sha256, first.start, first.end].join(" ");
  decisions.subjects.set(key, { change_id, clauses, title: (change_id ? "this change of " : "this clause of ") + first.platform + ", " + first.document });
  const control = made("details", { class: "decide", "data-key": key });
  control.append(made("summary", {}));
  place.append(" ", control);
}

function decidable() {
  const packed = document.getElementById("report-quotes");
  if (!packed || !window.DecompressionStream || !window.crypto || !crypto.subtle) return;
  unzipped(packed).then((text) => {
    const records = JSON.parse(text);
    decisions.day = JSON.parse(document.getElementById("report-facts").textContent).as_of || null;
    document.querySelectorAll("blockquote[data-q]").forEach((quote) => {
      if (quote.matches(":has(+ p)") && !quote.closest("[id^=change-]")) offered("", [quote], records, quote.nextElementSibling);
    });
    document.querySelectorAll("article[id^=change-]").forEach((card) => {
      offered(card.id.slice(7), [...card.querySelectorAll("blockquote[data-q]")], records, card.querySelector(".why") || card);
    });
    recalled();
    shownDecisions();
    root.dataset.decisions = "ready";
  });
  document.addEventListener("toggle", (event) => { if (event.target.matches(".decide[open]")) asked(event.target); }, true);
  document.addEventListener("submit", (event) => { if (event.target.matches(".decide form")) decided(event); });
  window.addEventListener("beforeunload", (event) => { if (!decisions.saved && !decisions.kept) event.preventDefault(); });
}

function asked(control) {
  if (control.querySelector("form")) return;
  const known = decisions.made.get(control.dataset.key);
  const { decision, name, note } = known || { decision: "", name: decisions.name, note: "" };
  const form = made("form", { "aria-label": "Decide on " + decisions.subjects.get(control.dataset.key).title });
  const choice = made("select", { name: "decision", required: "" });
  for (const value in DECISIONS) choice.append(new Option(DECISIONS[value][0], value, false, value === decision));
  const text = { required: "", pattern: ".*\\S.*", title: "Some words" };
  const fields = { Decision: choice, "Your name": made("input", { ...text, name: "name", maxlength: 200, value: name }), Note: made("input", { ...text, name: "note", maxlength: 4000, value: note }) };
  for (const title in fields) {
    form.append(made("label", {}, title + " "));
    form.lastChild.append(fields[title]);
  }
  form.append(made("button", {}, "Record"));
  if (known) form.append(made("button", { value: "remove", formnovalidate: "" }, "Remove"));
  control.append(form);
  choice.focus({ preventScroll: true });
}

async function decided(event) {
  event.preventDefault();
  const control = event.target.closest(".decide");
  const key = control.dataset.key;
  if (event.submitter && event.submitter.value === "remove") decisions.made.delete(key);
  else {
    const given = Object.fromEntries(new FormData(event.target));
    const { change_id, clauses: shown } = decisions.subjects.get(key);
    const clauses = await Promise.all(shown.map(async (clause) => ({ ...clause, quote_sha256: await hashOf(clause.quote) })));
    decisions.name = given.name.trim();
    decisions.made.set(key, { ...given, decided_at: new Date().toISOString(), day: decisions.day, change_id, clauses });
  }
  decisions.saved = !decisions.made.size;
  remembered(key);
  shownDecisions();
  control.querySelector("summary").focus({ preventScroll: true });
}

async function hashOf(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function shownDecisions() {
  document.querySelectorAll(".decide").forEach((control) => {
    const known = decisions.made.get(control.dataset.key);
    control.open = false;
    control.querySelectorAll("form").forEach((form) => form.remove());
    control.classList.toggle("made", Boolean(known));
    control.firstChild.textContent = known ? DECISIONS[known.decision][1] + " by " + known.name + ": " + known.note : "Decide";
    control.firstChild.setAttribute("aria-label", control.firstChild.textContent + " (" + decisions.subjects.get(control.dataset.key).title + ")");
  });
  if (!decisions.bar) savableDecisions();
  const count = decisions.made.size;
  decisions.bar.hidden = !count;
  decisions.bar.firstChild.textContent = count + (count === 1 ? " decision" : " decisions") + (decisions.kept ? "" : ", lost when the page is closed");
}

function savableDecisions() {
  decisions.bar = made("p", { class: "decisions noprint" });
  const save = made("button", { type: "button" }, "Save as a file");
  save.addEventListener("click", () => {
    downloaded(JSON.stringify({ version: 1, decisions: [...decisions.made.values()] }, null, 1) + "\n", "application/json", "decisions.json");
    decisions.saved = true;
  });
  decisions.bar.append(made("output", {}), " ", save);
  document.querySelector("main").append(decisions.bar);
}

decidable();
