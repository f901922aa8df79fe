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

async function draw() {
  for (const place of document.querySelectorAll("[data-chart]")) {
    const spec = JSON.parse(document.getElementById(place.dataset.chart).textContent);
    try {
      await vegaEmbed(place, spec, { actions: false, renderer: "svg", ast: true, config: theme });
      place.dataset.drawn = "yes";
    } catch (problem) {
      place.textContent = `This chart could not be drawn (${problem.message}); its numbers are in the table.`;
      place.dataset.drawn = "no";
    }
  }
  document.documentElement.dataset.drawn = "yes";
}

// Unfold tables for printing, except those that would fill several sheets.
const printedRows = 100;
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details:not([open])")) {
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
