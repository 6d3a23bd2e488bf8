(function () {
  "use strict";
  var DARK = __DARK__;
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  var root = document.documentElement;

  function dressed(text) {
    if (!dark.matches) return text;
    return text.replace(/"#[0-9a-f]{6}"/gi, function (colour) {
      var light = colour.slice(1, -1).toLowerCase();
      return DARK[light] ? '"' + DARK[light] + '"' : colour;
    });
  }

  function draw() {
    var data = Array.prototype.slice.call(document.querySelectorAll("script.plot-data"));
    var narrow = window.innerWidth < 640;
    return Promise.all(data.map(function (script) {
      var figure = JSON.parse(dressed(script.textContent));
      var place = document.getElementById(script.dataset.for);
      var layout = Object.assign({}, figure.layout, { autosize: true, width: undefined });
      if (narrow && layout.margin) layout.margin = Object.assign({}, layout.margin, { r: 8 });
      return window.Plotly.newPlot(place, figure.data, layout, { displayModeBar: false, responsive: true }).then(function (drawn) {
        drawn.on("plotly_click", function (event) { follow(event.points && event.points[0]); });
      });
    })).then(function () { root.dataset.plots = "ready"; reveal(); });
  }

  function follow(point) {
    var table = document.getElementById("risk-matrix");
    if (!point || !table || point.z === undefined) return;
    var heads = Array.prototype.map.call(table.tHead.rows[0].cells, function (cell) { return cell.textContent; });
    var row = Array.prototype.find.call(table.tBodies[0].rows, function (one) { return one.cells[0].textContent === point.y; });
    if (!row) return;
    var cell = row.cells[heads.indexOf(point.x)];
    var goal = (cell && cell.querySelector("a")) || row.cells[0].querySelector("a");
    if (goal) location.hash = goal.getAttribute("href");
  }

  function reveal() {
    var goal = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!goal) return;
    for (var part = goal; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    goal.scrollIntoView();
  }

  function unpack() {
    var packed = document.getElementById("plotly");
    if (!packed) { root.dataset.plots = "ready"; return; }
    var bytes = Uint8Array.from(atob(packed.textContent), function (c) { return c.charCodeAt(0); });
    var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    new Response(stream).text().then(function (source) {
      var script = document.createElement("script");
      script.textContent = source;
      document.head.appendChild(script);
      packed.remove();
      return draw();
    });
    dark.addEventListener("change", draw);
  }

  function sortable(table) {
    table.querySelectorAll("thead th").forEach(function (head, column) {
      var button = document.createElement("button");
      button.className = "sort";
      button.type = "button";
      button.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () {
        var up = head.getAttribute("aria-sort") !== "ascending";
        var body = table.tBodies[0];
        var order = { H: 4, M: 3, "?": 2, L: 1, "": 0 };
        function value(row) {
          var text = row.cells[column].textContent.trim();
          var number = text.replace(/[,%]/g, "");
          if (number !== "" && !isNaN(number)) return Number(number);
          return text in order ? order[text] : text.toLowerCase();
        }
        var rows = Array.prototype.slice.call(body.rows).map(function (row, place) { return [value(row), place, row]; });
        rows.sort(function (a, b) { return (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]) * (up ? 1 : -1); });
        rows.forEach(function (entry) { body.appendChild(entry[2]); });
        table.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
      });
    });
  }

  function filtered(tools) {
    var table = document.getElementById(tools.dataset.for);
    var words = tools.querySelector("input");
    var level = tools.querySelector("select");
    var told = tools.querySelector("output");
    var most = Number(tools.dataset.first || 0);
    var rows = Array.prototype.slice.call(table.tBodies[0].rows);
    function apply() {
      var asked = words.value.trim().toLowerCase();
      var wanted = level ? level.value : "";
      var shown = 0;
      rows.forEach(function (row, place) {
        var fits = (!asked || row.dataset.name.indexOf(asked) >= 0) && (!wanted || row.dataset.rating === wanted);
        var first = asked || wanted || !most || tools.dataset.all || place < most;
        row.hidden = !(fits && first);
        shown += row.hidden ? 0 : 1;
      });
      told.textContent = shown + " of " + rows.length + " platforms";
    }
    words.addEventListener("input", apply);
    if (level) level.addEventListener("change", apply);
    var all = tools.querySelector("button");
    if (all) all.addEventListener("click", function () { tools.dataset.all = "1"; all.hidden = true; apply(); });
    tools.hidden = false;
    apply();
  }

  document.querySelectorAll("table.sortable").forEach(sortable);
  document.querySelectorAll(".tools").forEach(filtered);
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("section details, main > details.keep").forEach(function (part) { part.open = true; });
  });
  window.addEventListener("hashchange", reveal);
  document.addEventListener("click", function (event) {
    var link = event.target.closest && event.target.closest('a[href^="#"]');
    if (link && link.getAttribute("href") === location.hash) reveal();
  });
  unpack();
})();
