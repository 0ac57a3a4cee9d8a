"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Light and dark: what the system says, until the button is pressed.
const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
document.getElementById("theme").addEventListener("click", () => {
  const now = root.dataset.theme || (dark.matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
});

// Figures: a dialog to look closer; + and - or the buttons, Escape closes.
const dialog = document.querySelector("dialog"), large = dialog.querySelector("img");
let size = 100;
const resize = percent => { size = Math.min(800, Math.max(100, percent)); large.style.width = `${size}%`; };
for (const button of all(".zoom")) {
  button.addEventListener("click", () => {
    const small = button.querySelector("img");
    large.src = small.src; large.alt = small.alt;
    dialog.showModal(); dialog.querySelector("div").focus();
    resize(innerWidth < 700 ? 250 : 100);
  });
}
const steps = { larger: 1.4, smaller: 1 / 1.4, "+": 1.4, "=": 1.4, "-": 1 / 1.4 };
for (const button of all("dialog button[data-step]")) {
  button.addEventListener("click", () => resize(size * steps[button.dataset.step]));
}
dialog.addEventListener("keydown", event => { if (steps[event.key]) resize(size * steps[event.key]); });
dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });

// Tables: a button in each heading sorts; numbers as numbers, what is missing last.
function sort(table, head, column) {
  const up = head.getAttribute("aria-sort") !== "ascending";
  all("th", table).forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const key = row => row.cells[column].textContent.trim();
  const compare = (a, b) => head.classList.contains("n") ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true });
  const rows = [...table.tBodies[0].rows].map(row => [key(row), row]);
  rows.sort(([a], [b]) => a === "" || b === "" ? (a === "") - (b === "") : up ? compare(a, b) : -compare(a, b));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}
for (const table of all("table.sortable")) {
  all("thead th", table).forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button"; button.textContent = head.textContent; button.title = "sort";
    head.replaceChildren(button);
    button.addEventListener("click", () => sort(table, head, column));
  });
}

// Published numbers: show or hide each verdict.
for (const button of all(".filter button")) {
  button.addEventListener("click", () => {
    const show = button.getAttribute("aria-pressed") === "false";
    button.setAttribute("aria-pressed", String(show));
    const region = document.getElementById(button.getAttribute("aria-controls"));
    all("tbody tr", region).forEach(row => { if (row.dataset.verdict === button.dataset.verdict) row.hidden = !show; });
  });
}

// A link unfolds the part that it leads to, and shows a row if a filter hid it.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const fold = target.closest("details") || target.parentElement.querySelector(":scope > h2 + details.part");
  if (fold) fold.open = true;
  if (target.hidden) target.hidden = false;
  target.scrollIntoView({ block: target.tagName === "TR" ? "center" : "start" });
}
addEventListener("hashchange", reveal);
if (location.hash) reveal();

// Data sets: a choice shows their rows alone, in all tables that have a column of data sets.
const filter = document.getElementById("filter"), choice = filter?.querySelector("select");
if (filter) filter.hidden = choice.options.length < 3;
choice?.addEventListener("change", () => {
  for (const table of all("table:has(tr[data-set])")) {
    const rows = all("tbody tr", table);
    rows.forEach(row => { row.hidden = choice.value !== "" && row.dataset.set !== choice.value; });
    const matching = table.closest("details")?.querySelector(".matching");
    if (matching) matching.textContent = choice.value && `, ${rows.filter(row => !row.hidden).length} of ${choice.value}`;
  }
});

// Paper has no folds: all tables are open while printing.
let closed = [];
addEventListener("beforeprint", () => { closed = all("details:not([open])"); closed.forEach(fold => { fold.open = true; }); });
addEventListener("afterprint", () => closed.forEach(fold => { fold.open = false; }));
