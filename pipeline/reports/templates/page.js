// Draw charts one after the other, so that the page can be read meanwhile.
const theme = {
  background: "transparent",
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axisQuantitative: { tickCount: 6, labelOverlap: true },
  axis: {
    labelColor: "currentColor", titleColor: "currentColor", tickColor: "currentColor",
    domainColor: "currentColor", gridColor: "currentColor", gridOpacity: 0.15, tickOpacity: 0.4,
    domainOpacity: 0.4, labelLimit: 170, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal",
  },
  legend: { labelColor: "currentColor", titleColor: "currentColor", titleFontWeight: "normal" },
  text: { color: "currentColor", fontSize: 12 },
};

// Move the labels of points apart, and hide those without room; hide the numbers of a matrix if
// they are wider than its cells. The table below the chart has them all.
function arrangeLabels(place) {
  const texts = [...place.querySelectorAll(".mark-text.role-mark text")];
  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  for (const text of texts) {
    text.style.display = "";
    if (text.getAttribute("transform") !== text.dataset.placed) text.dataset.origin = text.getAttribute("transform");
    text.setAttribute("transform", text.dataset.origin);
  }
  if (place.querySelector(".mark-rect.role-mark")) {
    const boxes = texts.map((text) => text.getBoundingClientRect()).filter((box) => box.width > 0);
    const crowded = boxes.some((box, i) => boxes.slice(i + 1).some((other) => overlap(box, other)));
    for (const text of texts) text.style.display = crowded ? "none" : "";
    return;
  }
  const taken = [...place.querySelectorAll(".mark-symbol.role-mark path")].map((mark) => mark.getBoundingClientRect());
  for (const text of texts) {
    const [x, y] = text.dataset.origin.match(/-?[\d.]+/g).map(Number);
    const room = [0, 14, -12, 28, -24, 42, -36].some((down) => {
      text.dataset.placed = `translate(${x},${y + down})`;
      text.setAttribute("transform", text.dataset.placed);
      return !taken.some((box) => overlap(box, text.getBoundingClientRect()));
    });
    if (room) taken.push(text.getBoundingClientRect());
    else text.style.display = "none";
  }
}

async function draw() {
  for (const place of document.querySelectorAll("[data-chart]")) {
    const spec = JSON.parse(document.getElementById(place.dataset.chart).textContent);
    try {
      const { view } = await vegaEmbed(place, spec, { actions: false, renderer: "svg", ast: true, config: theme });
      arrangeLabels(place);
      view.addResizeListener(() => setTimeout(() => arrangeLabels(place), 100));
      place.dataset.drawn = "yes";
    } catch (problem) {
      place.textContent = `This chart could not be drawn (${problem.message}); its numbers are in the table.`;
      place.dataset.drawn = "no";
    }
  }
  document.documentElement.dataset.drawn = "yes";
}

// Sort a table by the column whose heading is pressed; undefined values come last.
function sortBy(table, column) {
  const heading = table.tHead.rows[0].cells[column];
  const down = heading.ariaSort !== "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = (row) => {
    const cell = row.cells[column];
    if (!cell.classList.contains("number")) return cell.textContent === "–" ? null : cell.textContent;
    const value = Number(cell.dataset.value ?? cell.textContent.replaceAll(",", ""));
    return Number.isNaN(value) ? null : value;
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter((row) => !row.classList.contains("apart")).map((row) => [key(row), row]);
    rows.sort(([a], [b]) => (a === null) - (b === null) || (a === null ? 0 : down ? compare(b, a) : compare(a, b)));
    body.append(...rows.map(([, row]) => row));
  }
}

for (const table of document.querySelectorAll("table")) {
  if ([...table.tBodies].every((body) => body.rows.length < 2)) continue;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, column));
    heading.append(button);
  });
}

// Draw a document when it is opened, and find documents by their names.
for (const list of document.querySelectorAll(".openable")) {
  list.addEventListener("toggle", (event) => {
    const template = event.target.querySelector("template");
    if (template) template.replaceWith(template.content);
  }, true);
}
for (const input of document.querySelectorAll("[data-finds]")) {
  const entries = [...document.getElementById(input.dataset.finds).children];
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    for (const entry of entries) entry.hidden = !entry.dataset.name.toLowerCase().includes(wanted);
    const shown = entries.filter((entry) => !entry.hidden).length;
    input.parentElement.querySelector("output").textContent = wanted ? `${shown} of ${entries.length}` : "";
  });
}

// Unfold tables for printing, except those that would fill several sheets.
const printedRows = 100;
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("figure details:not([open])")) {
    if (each.querySelectorAll("tbody tr").length <= printedRows) {
      each.open = true;
      each.dataset.printed = "yes";
    }
  }
});
addEventListener("afterprint", () => {
  for (const each of document.querySelectorAll("details[data-printed]")) {
    each.open = false;
    delete each.dataset.printed;
  }
});

draw();
