// @ts-check
// Two faces laid side by side, over one another, or in turn; and the frames of a challenge as a film.
import { onKey, say } from "./dashboard.js";

const BLINK_MS = 500; // twice a second, which is as fast as anything here may change

// ── two faces ─────────────────────────────────────────────────────────────────────────────────────────────────
/** @param {HTMLElement} pair */
function compare(pair) {
  const [left, right] = /** @type {HTMLElement[]} */ ([...pair.querySelectorAll("[data-viewer]")]);
  const swiper = /** @type {HTMLInputElement | null} */ (pair.querySelector("[data-swipe]"));
  if (!left || !right || !swiper) return;
  let timer = 0;

  const top = right;
  const swipe = () => { top.style.clipPath = `inset(0 0 0 ${100 - Number(swiper.value)}%)`; };
  swiper.addEventListener("input", swipe);

  /** @param {string} how */
  function lay(how) {
    clearInterval(timer);
    top.style.clipPath = "";
    pair.classList.remove("second");
    pair.classList.toggle("over", how !== "side");
    for (const button of pair.querySelectorAll("[data-lay]")) button.setAttribute("aria-pressed", String(button.getAttribute("data-lay") === how));
    const label = swiper?.closest("label");
    if (label) label.hidden = how !== "swipe";
    if (how === "swipe") swipe();
    if (how === "blink") timer = window.setInterval(() => pair.classList.toggle("second"), BLINK_MS);
    if (how === "blink") pair.classList.add("second");
  }

  pair.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("button");
    const how = button?.getAttribute("data-lay");
    if (how) lay(how === "blink" && button?.getAttribute("aria-pressed") === "true" ? "side" : how);
    if (button?.hasAttribute("data-pose")) pose(pair);
  });
  pair.addEventListener("keydown", (event) => { if (event.key === "Escape") lay("side"); });
}

/** Show both as they were photographed, or cut again. Each original is fetched once. @param {HTMLElement} pair */
async function pose(pair) {
  const button = pair.querySelector("[data-pose]");
  const original = button?.getAttribute("aria-pressed") !== "true";
  button?.setAttribute("aria-pressed", String(original));
  for (const cut of /** @type {NodeListOf<HTMLImageElement>} */ (pair.querySelectorAll("img[data-original]"))) {
    let whole = /** @type {HTMLImageElement | null} */ (cut.nextElementSibling);
    if (!whole) {
      const headers = { "X-CSRF-Token": document.body.dataset.csrf ?? "" };
      const answer = await fetch(cut.dataset.original ?? "", { method: "POST", headers });
      if (!answer.ok) { say("The picture cannot be shown. Load the page again."); return; }
      whole = new Image();
      whole.alt = `${cut.alt}, as photographed`;
      whole.src = await answer.text();
      cut.after(whole);
    }
    cut.hidden = original;
    whole.hidden = !original;
  }
  say(original ? "As photographed." : "Eyes on the same points.");
}

const pairs = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-compare]"));
for (const pair of pairs) compare(pair);
if (pairs.length) onKey("o", () => { for (const pair of pairs) pose(pair); });

// ── the film ──────────────────────────────────────────────────────────────────────────────────────────────────
/** @param {HTMLElement} box */
function play(box) {
  const frames = /** @type {HTMLElement[]} */ ([...box.querySelectorAll("[data-at]")]);
  const screen = /** @type {HTMLCanvasElement} */ (box.querySelector("canvas"));
  const now = box.querySelector("[data-now]"), button = box.querySelector("[data-play]");
  const times = frames.map((frame) => Number(frame.dataset.at));
  let at = -1, timer = 0;

  /** Drawn from the frame that is loaded: nothing is fetched again. @param {number} place */
  function show(place) {
    at = Math.min(frames.length - 1, Math.max(0, place));
    const shown = frames[at];
    if (!shown) return;
    const image = /** @type {HTMLImageElement} */ (shown.querySelector("img"));
    for (const frame of frames) frame.toggleAttribute("data-shown", frame === shown);
    shown.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (image.naturalWidth) {
      screen.width = image.naturalWidth;
      screen.height = image.naturalHeight;
      screen.getContext("2d")?.drawImage(image, 0, 0);
      screen.hidden = false;
    }
    const asked = shown.querySelector(".asked")?.textContent ?? "";
    if (now) now.textContent = `Frame ${at + 1} of ${frames.length}, ${((times[at] ?? 0) / 1000).toFixed(1)} s, ${asked}`;
  }

  function stop() {
    clearTimeout(timer);
    timer = 0;
    button?.setAttribute("aria-pressed", "false");
  }

  function start() {
    if (timer) { stop(); return; }
    button?.setAttribute("aria-pressed", "true");
    if (at < 0 || at === frames.length - 1) show(0);
    const next = () => {
      if (at === frames.length - 1) { stop(); return; }
      timer = window.setTimeout(() => { show(at + 1); next(); }, Math.max(0, (times[at + 1] ?? 0) - (times[at] ?? 0)));
    };
    next();
  }

  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /** @type {Element} */ (event.target).closest("button")) return;
    const acts = /** @type {Record<string, () => void>} */ ({
      ArrowLeft: () => { stop(); show(at - 1); }, ArrowRight: () => { stop(); show(at + 1); }, " ": start,
    });
    const act = acts[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  box.addEventListener("click", (event) => {
    const pressed = /** @type {Element} */ (event.target).closest("button");
    if (pressed?.hasAttribute("data-play")) start();
    const step = pressed?.getAttribute("data-step");
    if (step) { stop(); show(at + Number(step)); }
    const frame = /** @type {Element} */ (event.target).closest("[data-at]");
    if (frame) { stop(); show(frames.indexOf(/** @type {HTMLElement} */ (frame))); }
  });
}
for (const box of document.querySelectorAll("[data-film]")) play(/** @type {HTMLElement} */ (box));
