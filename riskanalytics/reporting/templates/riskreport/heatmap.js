// The heatmap follows its table: same rows, same order; a click on a cell opens its clauses.
const CODES = { H: 3, M: 2, L: 1, "?": 0, "\u2013": 0, HIGH: 3, MED: 2, LOW: 1 };

function plotted(text) { return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"); }

const DRAWN = 40;

// So many platforms are drawn at most, of each group its part, until the reader asks for all.
function heatmapRows(table, tools) {
  const rows = Array.from(table.tBodies[0].rows).filter((row) => !row.hidden);
  if (tools.dataset.all) return rows;
  const most = Math.ceil(DRAWN / Math.max(1, rows.filter((row) => row.matches(".group")).length));
  let drawn = 0;
  return rows.filter((row) => {
    drawn = row.matches(".group") ? 0 : drawn + 1;
    return drawn <= most;
  });
}

function heatmapFrom(table, rows, figure) {
  const trace = figure.data[0];
  const drawnRows = trace.y.length;
  const names = rows.map((row) => { const name = plain(row.cells[0]); return name.length > 30 ? name.slice(0, 29) + "\u2026" : name; });
  const taken = names.reduce((seen, name) => seen.set(name, (seen.get(name) || 0) + 1), new Map());
  trace.y = rows.map((row, place) => row.matches(".group")
    ? "<b>" + plotted(names[place]) + "</b>"
    : plotted(taken.get(names[place]) > 1 ? names[place] + " (" + row.dataset.s + ")" : names[place]));
  const letters = rows.map((row) => row.matches(".group") ? [] : Array.from(row.cells, plain));
  const columns = [1, null, ...Array.from({ length: trace.x.length - 2 }, (_, place) => place + 3)];
  const each = (of) => rows.map((row, place) => columns.map((column) => row.matches(".group") || column === null ? of.blank : of.cell(row, column, letters[place][column])));
  trace.z = each({ blank: null, cell: (row, column, word) => word in CODES ? CODES[word] : word === "" ? null : 0 });
  trace.text = each({ blank: "", cell: (row, column, word) => column > 1 ? word : word in CODES ? word[0] : word === "UNRATED" ? "\u2013" : "?" });
  trace.hovertext = each({ blank: "", cell: (row, column, word) => column > 1 ? plotted(cellFacts(table, row, column).join(", ")) : plotted(word) });
  figure.layout.height += 20 * (Math.max(1, rows.length) - drawnRows);
}

function heatmap(tools) {
  const table = document.getElementById(tools.dataset.for);
  const figure = document.querySelector('figure[data-chart="' + tools.dataset.chart + '"]');
  const script = figure && figure.querySelector("script.plot-data");
  if (!script) return;
  const plot = plots[tools.dataset.chart] = { place: document.getElementById(script.dataset.for), source: script.textContent };
  figure.querySelector(".title").after(tools);
  const title = figure.querySelector(".title");
  const caption = figure.querySelector("figcaption > p");
  const [headline, described] = [title.firstChild.data, caption && caption.textContent];
  let waiting = 0;
  plot.change = (drawing) => heatmapFrom(table, heatmapRows(table, tools), drawing);
  plot.follow = (point) => {
    const row = heatmapRows(table, tools)[point.pointIndex[0]];
    const column = point.pointIndex[1] + 1;
    if (row && !row.matches(".group") && column > 2) cellShown(table, row, column, plot.place);
  };
  table.addEventListener("narrowed", () => {
    const rows = bodyRows(table).filter((row) => !row.hidden);
    const high = rows.filter((row) => plain(row.cells[1]) === "HIGH").length;
    const all = bodyRows(table).length;
    const filters = [...tools.querySelectorAll("input, select:not(.group)")];
    const chosen = filters.some((one) => one.matches("select") ? one.selectedIndex > 0 : one.value);
    const narrowed = rows.length < all && chosen;
    const verb = high === 1 ? " is" : " are";
    title.firstChild.data = !narrowed ? headline : rows.length
      ? high + " of " + rows.length + (rows.length === 1 ? " matching platform" : " matching platforms") + verb + " rated HIGH"
      : "No platform matches: change the search or a filter";
    if (caption) caption.textContent = narrowed ? "Heatmap of " + rows.length + " of " + all + " platforms, those that match. The table has their levels." : described;
    plot.place.hidden = !rows.length;
    const shown = heatmapRows(table, tools).filter((row) => !row.matches(".group")).length;
    if (shown < rows.length) tools.querySelector("output").append(", " + shown + " drawn");
    cancelAnimationFrame(waiting);
    if (root.dataset.plots === "ready") waiting = requestAnimationFrame(() => drawn(plot));
  });
}
