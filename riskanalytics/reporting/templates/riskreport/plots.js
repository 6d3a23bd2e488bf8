// Charts: the library is unpacked by the browser, each figure drawn in the reader's light or dark colours.
const plots = {};
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function dressed(text) {
  if (!dark.matches) return text;
  return text.replace(/"#[0-9a-f]{6}"/gi, (colour) => {
    const light = colour.slice(1, -1).toLowerCase();
    return DARK[light] ? '"' + DARK[light] + '"' : colour;
  });
}

function drawn(plot) {
  const figure = JSON.parse(dressed(plot.source));
  if (plot.change) plot.change(figure);
  const layout = Object.assign({ template: JSON.parse(dressed(JSON.stringify(TEMPLATE))) }, figure.layout, { autosize: true, width: undefined });
  plot.place.style.minHeight = (layout.height || 420) + "px";
  return window.Plotly.react(plot.place, figure.data, layout, { displayModeBar: false, responsive: true });
}

function plotOf(script) {
  const place = document.getElementById(script.dataset.for);
  const name = place.closest("figure").dataset.chart;
  const known = plots[name] && plots[name].place === place;
  const plot = known ? plots[name] : { place, source: script.textContent };
  plots[name] = plots[name] || plot;
  return plot;
}

function draw() {
  const all = Array.from(document.querySelectorAll("script.plot-data"), plotOf);
  return Promise.all(all.map((plot) => drawn(plot).then((place) => {
    if (plot.heard) return;
    plot.heard = true;
    place.on("plotly_click", (event) => plot.follow && event.points[0] && plot.follow(event.points[0]));
  }))).then(() => { root.dataset.plots = "ready"; });
}

// If the browser cannot draw, show the numbers of each figure in its place.
function undrawn() {
  document.querySelectorAll("figure[data-chart]").forEach((figure) => {
    figure.querySelector(".plot").hidden = true;
    figure.querySelectorAll("details").forEach((part) => { part.open = true; });
  });
  root.dataset.plots = "undrawn";
}

// A loop over a megabyte is much faster than `Uint8Array.from` with a function.
function unzipped(element) {
  const packed = atob(element.textContent), bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at++) bytes[at] = packed.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

function unpack() {
  const packed = document.getElementById("plotly");
  if (!packed) { root.dataset.plots = "ready"; reveal(); return; }
  if (!window.DecompressionStream) { undrawn(); reveal(); return; }
  unzipped(packed).then((source) => {
    const script = document.createElement("script");
    script.textContent = source;
    document.head.appendChild(script);
    packed.remove();
    return draw();
  }).catch(undrawn).then(reveal);
  dark.addEventListener("change", draw);
}
