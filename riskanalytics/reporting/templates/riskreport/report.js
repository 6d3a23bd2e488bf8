(() => {
"use strict";
const DARK = __DARK__;
__PARTS__
unpack();
document.querySelectorAll("main table").forEach((table) => {
  searchable(table);
  sortable(table);
  savable(table);
});
document.querySelectorAll(".tools[data-chart]").forEach(heatmap);
document.querySelectorAll(".tools").forEach(filtered);
linkable();
window.addEventListener("beforeprint", opened);
window.addEventListener("hashchange", () => { if (!panel.element) reveal(); });
document.addEventListener("click", clicked);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") closed(); });
})();
