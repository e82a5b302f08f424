// @ts-check
// Look at a picture closely: zoom, turn, pan, loupe, contrast. The loaded bytes are reused, nothing is fetched again.

const MOST = 8;
const LOUPE = 176, POWER = 3;
document.documentElement.classList.add("scripted");

class Viewer {
  /** @param {HTMLElement} figure */
  constructor(figure) {
    this.figure = figure;
    this.stage = /** @type {HTMLElement} */ (figure.querySelector(".stage"));
    this.sheet = /** @type {HTMLElement} */ (figure.querySelector(".sheet"));
    this.zoom = 1;
    this.turn = 0;
    this.x = 0;
    this.y = 0;
    /** @type {HTMLCanvasElement | null} */
    this.loupe = null;
    this.at = { x: 0.5, y: 0.5 };
    figure.addEventListener("click", (event) => this.press(/** @type {Element} */ (event.target).closest("button")));
    figure.addEventListener("keydown", (event) => this.key(event));
    figure.addEventListener("keyup", (event) => { if (event.key === "z") for (const one of this.together()) one.useLoupe(false); });
    this.stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && this.zoom === 1) return;
      event.preventDefault();
      this.scale(event.deltaY < 0 ? 1.2 : 1 / 1.2);
    }, { passive: false });
    this.stage.addEventListener("pointerdown", (event) => this.drag(event));
    this.stage.addEventListener("pointermove", (event) => this.moveLoupe(event));
    this.stage.addEventListener("dblclick", () => this.scale(this.zoom > 1 ? 0 : 2.5));
  }

  /** The picture that is shown: a face can be seen cut or as it was photographed. */
  get image() { return /** @type {HTMLImageElement} */ (this.figure.querySelector("img:not([hidden])")); }

  /** This one and the other picture of a comparison: their loupes move together. */
  together() {
    const others = this.figure.closest("[data-compare]")?.querySelectorAll("[data-viewer]") ?? [this.figure];
    return [...others].flatMap((one) => viewers.get(one) ?? []);
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
    if ("loupe" in button.dataset) { const on = !this.loupe; for (const one of this.together()) one.useLoupe(on); }
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
      z: () => { for (const one of this.together()) one.useLoupe(true); },
    };
    const loupe = (/** @type {number} */ dx, /** @type {number} */ dy) => () => this.lookAt({ x: this.at.x + dx, y: this.at.y + dy });
    if (this.loupe) Object.assign(acts, {
      ArrowLeft: loupe(-0.04, 0), ArrowRight: loupe(0.04, 0), ArrowUp: loupe(0, -0.04), ArrowDown: loupe(0, 0.04),
    });
    else if (this.zoom > 1) Object.assign(acts, {
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
    if (!this.loupe) {
      this.loupe = document.createElement("canvas");
      this.loupe.className = "loupe";
      this.loupe.width = this.loupe.height = LOUPE;
      this.stage.append(this.loupe);
    }
    this.showLoupe(this.at);
  }

  /** @param {PointerEvent} event */
  moveLoupe(event) {
    if (!this.loupe) return;
    const box = this.stage.getBoundingClientRect();
    this.lookAt({ x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height });
  }

  /** @param {{x: number, y: number}} at */
  lookAt(at) {
    const inside = { x: Math.min(1, Math.max(0, at.x)), y: Math.min(1, Math.max(0, at.y)) };
    for (const one of this.together()) if (one.loupe) one.showLoupe(inside);
  }

  /** Drawn from the picture that is loaded: nothing is fetched again. @param {{x: number, y: number}} at */
  showLoupe(at) {
    this.at = at;
    const drawn = this.loupe?.getContext("2d");
    if (!this.loupe || !drawn || !this.image.naturalWidth) return;
    const shown = this.image.getBoundingClientRect(), box = this.stage.getBoundingClientRect();
    const scale = Math.min(shown.width / this.image.naturalWidth, shown.height / this.image.naturalHeight);
    const x = at.x * box.width - (shown.left - box.left) - (shown.width - this.image.naturalWidth * scale) / 2;
    const y = at.y * box.height - (shown.top - box.top) - (shown.height - this.image.naturalHeight * scale) / 2;
    const part = LOUPE / POWER / scale;
    drawn.clearRect(0, 0, LOUPE, LOUPE);
    drawn.drawImage(this.image, x / scale - part / 2, y / scale - part / 2, part, part, 0, 0, LOUPE, LOUPE);
    this.loupe.style.left = `${at.x * box.width - LOUPE / 2}px`;
    this.loupe.style.top = `${at.y * box.height - LOUPE / 2}px`;
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
