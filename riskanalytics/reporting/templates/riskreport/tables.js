// Tables: sorted by their heads, narrowed by words and choices, saved as CSV (RFC 4180) or JSON.
const SEVERITY = { H: 4, M: 3, "?": 2, "\u2013": 1.5, L: 1, "": 0, HIGH: 4, MED: 3, LOW: 1 };
const LEVELS = { H: "HIGH", M: "MED", L: "LOW", "?": "to be read", "\u2013": "not read", "": "no clause found" };
const LONG = 25;

function words(cell) {
  if (!cell.firstElementChild) return cell.textContent;
  let text = "";
  cell.childNodes.forEach((node) => {
    if (node.nodeType === 3) text += node.data;
    else if (node.nodeType === 1 && !node.matches(".self, button.save, .more")) text += node.tagName === "BR" ? "\n" : words(node);
  });
  return text;
}

function plain(cell) { return words(cell).replace(/[ \t\r\f\v]+/g, " ").trim(); }

function heads(table) {
  return table.tHead ? Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells, plain) : [];
}

function bodyRows(table) { return Array.from(table.tBodies[0].rows).filter((row) => !row.matches(".group")); }

function valueOf(row, column) {
  const text = plain(row.cells[column]);
  if (!text && !row.closest(".matrix")) return null;
  const number = text.replace(/[,%\s]/g, "");
  if (number !== "" && !isNaN(number)) return Number(number);
  const leading = row.cells[column].matches(".n") && /^-?[\d,.]+/.exec(text);
  if (leading) return Number(leading[0].replace(/,/g, ""));
  return text in SEVERITY ? SEVERITY[text] : text.toLowerCase();
}

function compare(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

function sortable(table) {
  if (!table.tHead) return;
  table.querySelectorAll("thead th").forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = made("button", { class: "sort", type: "button" }, head.textContent);
    head.textContent = "";
    head.appendChild(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      const rows = bodyRows(table).map((row, place) => [valueOf(row, column), place, row]);
      rows.sort((a, b) => (a[0] === null) - (b[0] === null) || compare(a[0], b[0]) * (up ? 1 : -1) || a[1] - b[1]);
      table.querySelectorAll("tr.group").forEach((row) => row.remove());
      table.tBodies[0].append(...rows.map((entry) => entry[2]));
      table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      table.dispatchEvent(new Event("sorted"));
    });
  });
}

function record(table, names, row) {
  const matrix = table.matches(".matrix");
  return names.map((name, column) => {
    const cell = row.cells[column];
    if (!cell) return "";
    const text = plain(cell);
    if (matrix && column > 2) return cell.title || LEVELS[text] || text;
    const number = text.replace(/,/g, "");
    return cell.matches(".n") && number !== "" && !isNaN(number) ? Number(number) : text;
  });
}

function uniqueNames(table) {
  const first = table.tBodies[0].rows[0];
  const names = heads(table);
  const width = Math.max(names.length, first ? first.cells.length : 0);
  const all = Array.from({ length: width }, (_, place) => names[place] || "column " + (place + 1));
  return all.map((name, place) => (all.indexOf(name) < place ? name + " " + (place + 1) : name));
}

// A spreadsheet runs what begins like a formula: such a text gets an apostrophe before it, a number does not.
function csvCell(value) {
  let text = String(value);
  if (typeof value !== "number" && /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text)) text = "'" + text;
  return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

// Rows that match the search and the choices; all rows without a search.
function foundRows(table) {
  const tools = table.id && document.querySelector('.tools[data-for="' + table.id + '"]');
  const tests = tools ? chosen(tools) : [];
  return bodyRows(table).filter((row) => tests.every((test) => test(row)));
}

function saved(table, kind) {
  const names = uniqueNames(table);
  const rows = foundRows(table).map((row) => record(table, names, row));
  const text = kind === "csv"
    ? "\ufeff" + [names, ...rows].map((row) => row.map(csvCell).join(",") + "\r\n").join("")
    : JSON.stringify(rows.map((row) => Object.fromEntries(row.map((value, place) => [names[place], value]))), null, 1) + "\n";
  downloaded(text, kind === "csv" ? "text/csv" : "application/json", titleOf(table).toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 50).replace(/^-|-$/g, "") + "." + kind);
}

function downloaded(text, type, name) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  made("a", { href: url, download: pageName() + "-" + name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// The page's own name, with the month of its data where a copy was named otherwise.
function pageName() {
  const name = decodeURIComponent(location.pathname).split("/").pop().replace(/\.html$/, "").replace(/[^\w.-]+/g, "-") || "report";
  const facts = document.getElementById("report-facts");
  const month = ((facts && JSON.parse(facts.textContent).as_of) || "").slice(0, 7);
  return name.includes(month) ? name : name + "-" + month;
}

function titleOf(table) {
  const figure = table.closest("figure");
  if (table.id && !table.id.startsWith("table-")) return table.id; // that is only its number on the page
  if (figure) return figure.dataset.chart;
  if (table.caption) return plain(table.caption);
  const before = Array.from(document.querySelectorAll("h2, h3")).filter((one) => one.compareDocumentPosition(table) & 4).pop();
  return before ? plain(before) : "table";
}

function savable(table) {
  const bar = made("p", { class: "save" }, "Save as ");
  table.addEventListener("narrowed", () => {
    const rows = foundRows(table).length;
    bar.firstChild.data = rows < bodyRows(table).length ? "Save the " + rows + " matching rows as " : "Save as ";
  });
  for (const kind of ["csv", "json"]) {
    const button = made("button", { type: "button", class: "save", "aria-label": "Save the table " + titleOf(table) + " as " + kind.toUpperCase() }, kind.toUpperCase());
    button.addEventListener("click", () => saved(table, kind));
    bar.append(button, " ");
  }
  (table.closest(".wide") || table).after(bar);
}

function searchable(table) {
  if (!table.tHead || table.tBodies[0].rows.length < LONG || (table.id && document.querySelector('.tools[data-for="' + table.id + '"]'))) return;
  table.id = table.id || "table-" + Array.from(document.querySelectorAll("table")).indexOf(table);
  const tools = made("div", { class: "tools", "data-for": table.id });
  const label = made("label", {}, "Find ");
  label.append(made("input", { type: "search", "aria-label": "Find in the table" }));
  tools.append(label, made("output", {}));
  (table.closest(".wide") || table).before(tools);
}

// What the reader chose, as a test of a row; the heatmap's tools also ask for a surface at a level.
function chosen(tools) {
  const asked = tools.querySelector("input").value.trim().toLowerCase();
  const choices = Array.from(tools.querySelectorAll("select:not(.surface, .level, .group)")).filter((one) => one.value);
  const surface = tools.querySelector("select.surface");
  const level = tools.querySelector("select.level");
  const tests = [];
  if (asked) tests.push((row) => found(row).includes(asked) || spelled(found(row)).includes(spelled(asked)));
  choices.forEach((one) => tests.push((row) => one.value === (one.dataset.column ? plain(row.cells[Number(one.dataset.column)]) : row.dataset.v)));
  if (level && level.value !== "all") {
    tests.push(surface.value
      ? (row) => plain(row.cells[Number(surface.value)]) === level.value
      : (row) => Array.from(row.cells).slice(3).some((cell) => plain(cell) === level.value));
  } else if (surface && surface.value) tests.push((row) => plain(row.cells[Number(surface.value)]) !== "");
  return tests;
}

// A search for either spelling finds both, as in spelling.py.
const AMERICAN = __AMERICAN__;
const AMERICAN_PART = new RegExp(Object.keys(AMERICAN).sort((a, b) => b.length - a.length).join("|"), "g");

function spelled(text) { return text.replace(AMERICAN_PART, (part) => AMERICAN[part]); }

function found(row) {
  row.asked = row.asked || (plain(row.closest(".matrix") ? row.cells[0] : row) + " " + (row.dataset.s || "")).toLowerCase();
  return row.asked;
}

function grouped(table, rows, column) {
  table.querySelectorAll("tr.group").forEach((row) => row.remove());
  if (!column) return rows;
  const groups = new Map();
  rows.forEach((row) => { const key = plain(row.cells[column]); groups.set(key, [...(groups.get(key) || []), row]); });
  const order = [...groups.keys()].sort((a, b) => (SEVERITY[b] || 0) - (SEVERITY[a] || 0) || groups.get(b).length - groups.get(a).length);
  return order.flatMap((key) => groups.get(key));
}

function headed(table, column) {
  let last = null;
  Array.from(table.tBodies[0].rows).filter((row) => !row.hidden).forEach((row) => {
    const key = plain(row.cells[column]);
    if (key === last) return;
    last = key;
    const group = made("tr", { class: "group" });
    const size = bodyRows(table).filter((one) => !one.hidden && plain(one.cells[column]) === key).length;
    group.append(made("th", { scope: "rowgroup", colspan: row.cells.length }, (key || "none") + " \u00b7 " + size));
    row.before(group);
  });
}

function filtered(tools) {
  const table = document.getElementById(tools.dataset.for);
  const told = tools.querySelector("output");
  const most = Number(tools.dataset.first || 0);
  const group = tools.querySelector("select.group");
  const all = tools.querySelector("button");
  const start = bodyRows(table);
  let column = 0;
  function apply() {
    const tests = chosen(tools);
    const asked = group ? Number(group.value) : 0;
    if (!asked && column) table.querySelectorAll("thead th").forEach((head) => head.removeAttribute("aria-sort"));
    if (asked || asked !== column) table.tBodies[0].append(...grouped(table, asked ? bodyRows(table) : start, asked));
    column = asked;
    const rows = bodyRows(table);
    const every = tests.length || column || !most || tools.dataset.all;
    let shown = 0;
    rows.forEach((row, place) => {
      row.hidden = !((every || place < most) && tests.every((test) => test(row)));
      shown += row.hidden ? 0 : 1;
    });
    if (column) headed(table, column);
    told.textContent = shown + " of " + rows.length + (table.matches(".matrix, #stance-table") ? " platforms" : " rows");
    table.dispatchEvent(new Event("narrowed"));
  }
  tools.addEventListener("input", apply);
  table.addEventListener("sorted", apply);
  if (all) all.addEventListener("click", () => { tools.dataset.all = "1"; all.hidden = true; apply(); });
  tools.hidden = false;
  apply();
}
