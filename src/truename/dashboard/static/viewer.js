// @ts-check
// Look at a picture closely: zoom, turn, pan, loupe, contrast. The loaded bytes are reused, nothing is fetched again.

const MOST = 8;
document.documentElement.classList.add("scripted");

class Viewer {
  /** @param {HTMLElement} figure */
  constructor(figure) {
    this.figure = figure;
    this.stage = /** @type {HTMLElement} */ (figure.querySelector(".stage"));
    this.sheet = /** @type {HTMLElement} */ (figure.querySelector(".sheet"));
    this.image = /** @type {HTMLImageElement} */ (figure.querySelector("img"));
    this.zoom = 1;
    this.turn = 0;
    this.x = 0;
    this.y = 0;
    /** @type {HTMLElement | null} */
    this.loupe = null;
    figure.addEventListener("click", (event) => this.press(/** @type {Element} */ (event.target).closest("button")));
    figure.addEventListener("keydown", (event) => this.key(event));
    figure.addEventListener("keyup", (event) => { if (event.key === "z") this.useLoupe(false); });
    this.stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && this.zoom === 1) return;
      event.preventDefault();
      this.scale(event.deltaY < 0 ? 1.2 : 1 / 1.2);
    }, { passive: false });
    this.stage.addEventListener("pointerdown", (event) => this.drag(event));
    this.stage.addEventListener("pointermove", (event) => this.moveLoupe(event));
    this.stage.addEventListener("dblclick", () => this.scale(this.zoom > 1 ? 0 : 2.5));
  }

  /** @param {HTMLButtonElement | null} button */
  press(button) {
    if (!button) return;
    const { zoom, turn } = button.dataset;
    if (zoom === "in") this.scale(1.5);
    if (zoom === "out") this.scale(1 / 1.5);
    if (zoom === "fit") this.scale(0);
    if (zoom === "one") { this.zoom = Math.max(1, this.image.naturalWidth / Math.max(1, this.image.clientWidth)); this.draw(); }
    if (turn) { this.turn += Number(turn); this.draw(); }
    if ("loupe" in button.dataset) this.useLoupe(!this.loupe);
    if ("filter" in button.dataset) button.setAttribute("aria-pressed", String(this.figure.classList.toggle("grey")));
    if ("marks" in button.dataset) button.setAttribute("aria-pressed", String(!this.figure.classList.toggle("unmarked")));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.body.dataset.keys !== "on") return;
    const step = 40;
    /** @type {Record<string, () => void>} */
    const acts = {
      "+": () => this.scale(1.5), "-": () => this.scale(1 / 1.5), "0": () => this.scale(0),
      "[": () => { this.turn -= 90; this.draw(); }, "]": () => { this.turn += 90; this.draw(); },
      z: () => this.useLoupe(true),
    };
    if (this.zoom > 1) Object.assign(acts, {
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
    });
    const act = acts[event.key];
    if (act) { event.preventDefault(); event.stopPropagation(); act(); }
  }

  /** @param {number} factor 0 fits again */
  scale(factor) {
    this.zoom = factor ? Math.min(MOST, Math.max(1, this.zoom * factor)) : 1;
    if (this.zoom === 1) { this.x = 0; this.y = 0; }
    this.draw();
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) { this.x += dx; this.y += dy; this.draw(); }

  /** @param {PointerEvent} event */
  drag(event) {
    if (this.zoom === 1 || this.loupe) return;
    event.preventDefault();
    this.stage.setPointerCapture(event.pointerId);
    /** @param {PointerEvent} moved */
    const move = (moved) => this.pan(moved.movementX, moved.movementY);
    this.stage.addEventListener("pointermove", move);
    this.stage.addEventListener("pointerup", () => this.stage.removeEventListener("pointermove", move), { once: true });
  }

  draw() {
    const wide = this.stage.clientWidth * (this.zoom - 1) / 2, high = this.stage.clientHeight * (this.zoom - 1) / 2;
    this.x = Math.min(wide, Math.max(-wide, this.x));
    this.y = Math.min(high, Math.max(-high, this.y));
    this.sheet.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.zoom}) rotate(${this.turn}deg)`;
    this.figure.classList.toggle("zoomed", this.zoom > 1);
  }

  /** @param {boolean} on */
  useLoupe(on) {
    this.figure.querySelector("[data-loupe]")?.setAttribute("aria-pressed", String(on));
    if (!on) { this.loupe?.remove(); this.loupe = null; return; }
    if (this.loupe) return;
    this.loupe = document.createElement("div");
    this.loupe.className = "loupe";
    this.loupe.style.backgroundImage = `url("${this.image.currentSrc}")`;
    this.loupe.hidden = true;
    this.stage.append(this.loupe);
  }

  /** Both pictures of a comparison move their loupe together. @param {PointerEvent} event */
  moveLoupe(event) {
    if (!this.loupe) return;
    const box = this.stage.getBoundingClientRect();
    const at = { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
    this.showLoupe(at);
    for (const other of this.figure.closest(".faces")?.querySelectorAll("[data-viewer]") ?? []) {
      const viewer = viewers.get(other);
      if (viewer && viewer !== this) { viewer.useLoupe(true); viewer.showLoupe(at); }
    }
  }

  /** @param {{x: number, y: number}} at */
  showLoupe(at) {
    if (!this.loupe) return;
    const shown = this.image.getBoundingClientRect(), box = this.stage.getBoundingClientRect(), size = 176, power = 3;
    const scale = Math.min(shown.width / this.image.naturalWidth, shown.height / this.image.naturalHeight);
    const width = this.image.naturalWidth * scale, height = this.image.naturalHeight * scale;
    const left = at.x * box.width - (shown.left - box.left) - (shown.width - width) / 2;
    const top = at.y * box.height - (shown.top - box.top) - (shown.height - height) / 2;
    Object.assign(this.loupe.style, {
      left: `${at.x * box.width - size / 2}px`, top: `${at.y * box.height - size / 2}px`,
      backgroundSize: `${width * power}px ${height * power}px`,
      backgroundPosition: `${size / 2 - left * power}px ${size / 2 - top * power}px`,
    });
    this.loupe.hidden = false;
  }
}

/** @type {Map<Element, Viewer>} */
const viewers = new Map();
for (const figure of document.querySelectorAll("[data-viewer]")) viewers.set(figure, new Viewer(/** @type {HTMLElement} */ (figure)));

// A field and its place on the page light each other up.
/** @param {Event} event @param {boolean} on */
function light(event, on) {
  const name = /** @type {Element} */ (event.target).closest?.("[data-field]")?.getAttribute("data-field");
  if (name) for (const one of document.querySelectorAll(`[data-field="${CSS.escape(name)}"]`)) one.classList.toggle("lit", on);
}
for (const kind of ["mouseover", "focusin"]) document.addEventListener(kind, (event) => light(event, true));
for (const kind of ["mouseout", "focusout"]) document.addEventListener(kind, (event) => light(event, false));
