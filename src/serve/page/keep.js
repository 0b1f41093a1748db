// Turns what a reader has before a change into the same behind it: the place on the page, the focus, and, where the page must load
// again, what was open.

const KEPT = "lessonc-preview";

// Elements that begin in sight, from the top, each with its distance from there. Of what began above it, nothing tells what is read.
function in_sight() {
  const found = [];
  const main = document.querySelector("main") || document.body;
  for (let y = 60; y < innerHeight && scrollY > 0; y += 30) {
    const element = document.elementFromPoint(innerWidth / 2, y);
    const top = element && main.contains(element) ? element.getBoundingClientRect().top : -1;
    if (top >= 0) found.push([element, top]);
  }
  return found;
}

// Does `change`, and leaves what is read where it was.
function in_place(change) {
  const [seen, focus] = [in_sight(), document.activeElement];
  change();
  const anchor = seen.find(([element]) => element.isConnected && element.getClientRects().length > 0);
  if (anchor) scrollBy({ top: anchor[0].getBoundingClientRect().top - anchor[1], behavior: "instant" });
  if (focus && focus.isConnected && focus !== document.activeElement && focus !== document.body) focus.focus({ preventScroll: true });
}

function reload() {
  const open = [...document.querySelectorAll("details")].map((details) => details.open);
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ path: location.pathname, x: scrollX, y: scrollY, open }));
  } catch (refused) { /* Private windows. */ }
  location.reload();
}

// What was kept for the page that loaded again.
function restore() {
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(KEPT));
    sessionStorage.removeItem(KEPT);
  } catch (refused) { /* Private windows. */ }
  if (!kept || kept.path !== location.pathname) return;
  const all = document.querySelectorAll("details");
  if (all.length === kept.open.length) all.forEach((details, at) => { details.open = kept.open[at]; });
  const go = () => scrollTo({ left: kept.x, top: kept.y, behavior: "instant" });
  go();
  addEventListener("load", go, { once: true });
}
