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
    this.drawn = 1;  // how much larger than its place the picture is drawn
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
    if (zoom === "one") this.scale(this.image.naturalWidth / Math.max(1, this.image.clientWidth) / this.zoom);
    if (turn) this.rotate(Number(turn));
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
      "[": () => this.rotate(-90), "]": () => this.rotate(90),
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
    const before = this.zoom;
    this.zoom = factor ? Math.min(MOST, Math.max(1, this.zoom * factor)) : 1;
    this.x *= this.zoom / before;  // what is in the middle stays there
    this.y *= this.zoom / before;
    this.draw();
  }

  /** What is in the middle stays there: the picture turns about the middle of the window, not about its own. @param {number} degrees 90 or -90 */
  rotate(degrees) {
    this.turn += degrees;
    [this.x, this.y] = degrees > 0 ? [-this.y, this.x] : [this.y, -this.x];
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
    const { clientWidth: width, clientHeight: height } = this.stage;
    const across = this.turn % 180 !== 0;
    const wide = across ? this.sheet.offsetHeight : this.sheet.offsetWidth, high = across ? this.sheet.offsetWidth : this.sheet.offsetHeight;
    const scale = this.zoom > 1 ? this.zoom : Math.min(1, width / Math.max(1, wide), height / Math.max(1, high));
    const right = Math.max(0, (wide * scale - width) / 2), down = Math.max(0, (high * scale - height) / 2);
    this.x = Math.min(right, Math.max(-right, this.x));
    this.y = Math.min(down, Math.max(-down, this.y));
    this.drawn = scale;
    this.sheet.style.transform = `translate(${this.x}px, ${this.y}px) scale(${scale}) rotate(${this.turn}deg)`;
    this.figure.classList.toggle("zoomed", this.zoom > 1);
    if (this.loupe) this.showLoupe(this.at);
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
    const { naturalWidth, naturalHeight, offsetWidth, offsetHeight } = this.image;
    if (!this.loupe || !drawn || !naturalWidth) return;
    const left = at.x * this.stage.clientWidth, top = at.y * this.stage.clientHeight;
    const size = POWER * this.drawn * Math.min(offsetWidth / naturalWidth, offsetHeight / naturalHeight);
    drawn.resetTransform();
    drawn.clearRect(0, 0, LOUPE, LOUPE);
    drawn.translate(LOUPE / 2 + (this.stage.clientWidth / 2 + this.x - left) * POWER, LOUPE / 2 + (this.stage.clientHeight / 2 + this.y - top) * POWER);
    drawn.rotate(this.turn * Math.PI / 180);
    drawn.scale(size, size);
    drawn.drawImage(this.image, -naturalWidth / 2, -naturalHeight / 2);
    this.loupe.style.left = `${left - LOUPE / 2}px`;
    this.loupe.style.top = `${top - LOUPE / 2}px`;
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
