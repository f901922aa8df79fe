// Draw charts one after the other, so that the page can be read meanwhile.
const theme = {
  background: "transparent",
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axisQuantitative: { tickCount: 6, labelOverlap: true, labelSeparation: 6 },
  axis: {
    labelColor: "currentColor", titleColor: "currentColor", tickColor: "currentColor",
    domainColor: "currentColor", gridColor: "currentColor", gridOpacity: 0.15, tickOpacity: 0.4,
    domainOpacity: 0.4, labelLimit: 170, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal",
  },
  title: { color: "currentColor" },
  legend: { labelColor: "currentColor", titleColor: "currentColor", titleFontWeight: "normal" },
  text: { color: "currentColor", fontSize: 12 },
};

// Arrange the texts in a chart. The table below the chart has them all.
function arrangeTexts(place) {
  // Names at the ends of lines, and p values at the right of rows, already have their places.
  const all = [...place.querySelectorAll(".mark-text.role-mark text")];
  const texts = all.filter((text) => rowOf(text).y_name === undefined && rowOf(text).p === undefined);
  if (place.querySelector(".mark-rect.role-mark")) fillCells(texts);
  else labelPoints(place, texts);
}

// Vega keeps the row that an element is drawn from with the element.
const rowOf = (element) => element.__data__.datum;
const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

// If the numbers of a matrix are wider than its cells, show only their marks, such as stars.
function fillCells(texts) {
  for (const text of texts) text.dataset.full ??= text.textContent;
  for (const content of [(text) => text.dataset.full, (text) => rowOf(text).mark, () => ""]) {
    for (const text of texts) text.textContent = content(text);
    const boxes = texts.map((text) => text.getBoundingClientRect()).filter((box) => box.width > 0);
    if (!boxes.some((box, i) => boxes.slice(i + 1).some((other) => overlap(box, other)))) return;
  }
}

// Where a label may stand beside its point: its anchor, and pixels to the right and down.
const sides = [
  ["start", 6, -6], ["end", -6, -6], ["start", 6, 15], ["end", -6, 15],
  ["start", 9, 4], ["end", -9, 4], ["middle", 0, -10], ["middle", 0, 18],
];

// Write each label on a side of its point where it covers nothing and stands clearly nearer to its
// point than to any other; hide the labels of points without such a side.
function labelPoints(place, texts) {
  const chart = place.querySelector("svg").getBoundingClientRect();
  const points = [...place.querySelectorAll(".mark-symbol.role-mark path")].map((mark) => {
    const box = mark.getBoundingClientRect();
    return { mark, box, x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  });
  const distance = (box, { x, y }) =>
    Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
  const taken = points.map((point) => point.box);
  for (const text of texts) {
    const own = points.find((point) => rowOf(point.mark).name === rowOf(text).name);
    const others = points.filter((point) => Math.hypot(point.x - own.x, point.y - own.y) > 1);
    const [x, y] = own.mark.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    text.style.display = "";
    const fits = sides.some(([anchor, right, down]) => {
      text.setAttribute("text-anchor", anchor);
      text.setAttribute("transform", `translate(${x + right},${y + down})`);
      const box = text.getBoundingClientRect();
      return box.left >= chart.left && box.right <= chart.right && !taken.some((other) => overlap(box, other))
        && others.every((point) => distance(box, point) > 1.5 * distance(box, own));
    });
    if (fits) taken.push(text.getBoundingClientRect());
    else text.style.display = "none";
  }
}

// A narrow screen has no room beside a chart: the names of rows stand above their marks.
const isNarrow = matchMedia("(max-width: 48rem)").matches;

// In the dark, a matrix begins at the color of the page, so that its low values do not glow.
const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
const inTheDark = (text) => (isDark ? text.replaceAll("#f4f4f4", "#1e242b").replaceAll("#101010", "#e6e9ed") : text);

function fitted(spec) {
  if (!isNarrow) return spec;
  const isMatrix = JSON.stringify(spec).includes('"column_label"');
  const hasRows = JSON.stringify(spec).includes('"name_label"') && spec.layer && !isMatrix;
  const above = { labelAlign: "left", labelBaseline: "bottom", labelPadding: -2, labelOffset: -9, labelLimit: 320, ticks: false, domain: false, zindex: 1 };
  const config = isMatrix ? { axis: { ...theme.axis, labelLimit: 90 } } : hasRows ? { axisYBand: above, axisYPoint: above } : {};
  return { ...spec, height: hasRows ? spec.height * 1.5 : spec.height, config };
}

// Let readers save a chart as it is drawn, with dark text on white.
function offerToSave(place) {
  const title = document.getElementById(place.getAttribute("aria-labelledby")).textContent.trim();
  const name = title.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "") || "chart";
  const line = document.createElement("p");
  line.className = "save";
  line.append("Save as");
  for (const kind of ["SVG", "PNG"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.setAttribute("aria-label", `Save ${title} as ${kind}`);
    button.addEventListener("click", () => save(place.querySelector("svg"), name, kind));
    line.append(button);
  }
  place.after(line);
}

async function save(chart, name, kind) {
  const { width, height } = chart.getBoundingClientRect();
  const copy = chart.cloneNode(true);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("style", "color: #1b1f24; background: #ffffff");
  const svg = new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  const link = document.createElement("a");
  link.download = `${name}.${kind.toLowerCase()}`;
  link.href = URL.createObjectURL(kind === "SVG" ? svg : await asPng(svg, width, height));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const pixels = 3; // of a PNG, for each of the page's
async function asPng(svg, width, height) {
  const image = new Image();
  image.src = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.readAsDataURL(svg);
  });
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * pixels;
  canvas.height = height * pixels;
  const paint = canvas.getContext("2d");
  paint.fillStyle = "#ffffff";
  paint.fillRect(0, 0, canvas.width, canvas.height);
  paint.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

async function draw() {
  for (const place of document.querySelectorAll("[data-chart]")) {
    const spec = fitted(JSON.parse(inTheDark(document.getElementById(place.dataset.chart).textContent)));
    try {
      const { view } = await vegaEmbed(place, spec, { actions: false, renderer: "svg", ast: true, config: theme });
      arrangeTexts(place);
      view.addResizeListener(() => setTimeout(() => arrangeTexts(place), 100));
      place.dataset.drawn = "yes";
      offerToSave(place);
    } catch (problem) {
      place.textContent = `This chart could not be drawn (${problem.message}); its numbers are in the table.`;
      place.dataset.drawn = "no";
    }
    foldDrawn();
  }
  foldDrawn();
  document.documentElement.dataset.drawn = "yes";
}

// Sections are folded when their charts are drawn, which takes their width; all are open without
// JavaScript. A link to a section opens it.
function foldDrawn() {
  for (const section of document.querySelectorAll("details[data-fold]")) {
    if (section.querySelector("[data-chart]:not([data-drawn])")) continue;
    section.open = section.contains(document.getElementById(location.hash.slice(1)));
    delete section.dataset.fold;
  }
}
function openLinked() {
  const section = document.getElementById(location.hash.slice(1))?.closest("details.section");
  if (section) section.open = true;
}
addEventListener("hashchange", openLinked);
for (const link of document.querySelectorAll("nav a")) link.addEventListener("click", () => setTimeout(openLinked));

// Sort a table by the column whose heading is pressed; undefined values come last.
function sortBy(table, column) {
  const heading = table.tHead.rows[0].cells[column];
  // Best first, then worst first; a column that is not of a measure begins with its largest value.
  const bestUp = heading.textContent.includes("↓") || heading.textContent === "rank";
  const down = heading.ariaSort === null ? !bestUp : heading.ariaSort !== "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = (row) => {
    const cell = row.cells[column];
    if (!cell.classList.contains("number")) return cell.textContent === "–" ? null : cell.textContent;
    const value = Number(cell.dataset.value ?? cell.textContent.replaceAll(",", ""));
    return Number.isNaN(value) ? null : value;
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
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

// Copy the signature, also where the browser has no clipboard for pages on a disk.
for (const place of document.querySelectorAll(".signature")) {
  const text = place.querySelector("code").textContent;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy the signature";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement("textarea");
      field.value = text;
      place.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy the signature"; }, 2000);
  });
  place.append(button);
}

// Unfold tables for printing, except those that would fill several sheets.
const printedRows = 100;
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details:not([open])")) {
    if (each.matches(".section, .further") || (each.closest("figure") && each.querySelectorAll("tbody tr").length <= printedRows)) {
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
