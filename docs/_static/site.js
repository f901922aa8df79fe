// An example that is wider than the window scrolls; this lets the keyboard do so in every browser.
function reachWideExamples() {
  for (const example of document.querySelectorAll("article .highlight pre")) {
    if (example.scrollWidth > example.clientWidth) {
      example.tabIndex = 0;
    } else {
      example.removeAttribute("tabindex");
    }
  }
}
addEventListener("DOMContentLoaded", reachWideExamples);
addEventListener("resize", reachWideExamples);
