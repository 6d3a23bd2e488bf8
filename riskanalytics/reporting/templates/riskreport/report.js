(() => {
"use strict";
const DARK = __DARK__;
const TEMPLATE = __TEMPLATE__;
__PARTS__
Array.from(document.querySelectorAll("main table")).filter((table) => table.tBodies.length).forEach((table) => {
  searchable(table);
  sortable(table);
  savable(table);
});
document.querySelectorAll(".tools[data-chart]").forEach(heatmap);
document.querySelectorAll(".tools").forEach(filtered);
document.querySelectorAll("table.matrix").forEach(reachable);
linkable();
aged();
window.addEventListener("beforeprint", opened);
window.addEventListener("hashchange", reveal);
document.addEventListener("click", clicked);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") closed(); });
unpack();
})();
