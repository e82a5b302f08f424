/** Small drawings, as templates. Decoration only: the words beside them say everything. */

import { svg, html } from 'lit';

/** @param {import('lit').TemplateResult} inner */
const icon = (inner) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${inner}</svg>`;

export const shield = () => icon(svg`<path d="M12 3 5 5.8v5.1c0 4.4 2.9 8.2 7 9.6 4.1-1.4 7-5.2 7-9.6V5.8L12 3Z"/><path d="m9 11.8 2.2 2.2 4-4.4"/>`);
export const card = () => icon(svg`<rect x="3" y="5.5" width="18" height="13" rx="2.2"/><circle cx="8.4" cy="11" r="1.9"/><path d="M5.8 15.4c.5-1.3 1.5-2 2.6-2s2.1.7 2.6 2M13.6 10h4.4M13.6 13.4h3"/>`);
export const passport = () => icon(svg`<rect x="5" y="3" width="14" height="18" rx="2.2"/><circle cx="12" cy="10" r="3.2"/><path d="M8.8 10h6.4M12 6.8c1.4 2 1.4 4.4 0 6.4M12 6.8c-1.4 2-1.4 4.4 0 6.4M9 17h6"/>`);
export const face = () => icon(svg`<path d="M4 8V6.2A2.2 2.2 0 0 1 6.2 4H8M16 4h1.8A2.2 2.2 0 0 1 20 6.2V8M20 16v1.8a2.2 2.2 0 0 1-2.2 2.2H16M8 20H6.2A2.2 2.2 0 0 1 4 17.8V16"/><path d="M9 9.6v.6M15 9.6v.6M9 14.6c1.8 1.5 4.2 1.5 6 0"/>`);
export const phone = () => icon(svg`<rect x="7" y="2.8" width="10" height="18.4" rx="2.4"/><path d="M10.8 18.3h2.4"/>`);
export const computer = () => icon(svg`<rect x="3.5" y="4.5" width="17" height="11.5" rx="1.8"/><path d="M9 20h6M12 16v4"/>`);
export const clockIcon = () => icon(svg`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.2V12l3 2"/>`);
export const sun = () => icon(svg`<circle cx="12" cy="12" r="4"/><path d="M12 3v1.8M12 19.2V21M3 12h1.8M19.2 12H21M5.6 5.6l1.3 1.3M17.1 17.1l1.3 1.3M18.4 5.6l-1.3 1.3M6.9 17.1l-1.3 1.3"/>`);
export const glasses = () => icon(svg`<circle cx="6.8" cy="13.5" r="3.3"/><circle cx="17.2" cy="13.5" r="3.3"/><path d="M10.1 12.8c1.2-.8 2.6-.8 3.8 0M3.5 12.7 5 8M20.5 12.7 19 8"/>`);
export const turn = () => icon(svg`<path d="M5 12a7 7 0 0 1 12-4.9L20 10M20 5v5h-5M19 12a7 7 0 0 1-12 4.9L4 14M4 19v-5h5"/>`);
export const camera = () => icon(svg`<path d="M4.5 7.5h3L9 5h6l1.5 2.5h3A1.5 1.5 0 0 1 21 9v8.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17.5V9a1.5 1.5 0 0 1 1.5-1.5Z"/><circle cx="12" cy="13" r="3.4"/>`);
export const cameraOff = () => icon(svg`<path d="M4 4l16 16M9.2 5H15l1.5 2.5h3A1.5 1.5 0 0 1 21 9v7.8M18.6 19H4.5A1.5 1.5 0 0 1 3 17.5V9a1.5 1.5 0 0 1 1.5-1.5h1.6M14.9 14.8A3.4 3.4 0 0 1 10.2 10"/>`);
export const file = () => icon(svg`<path d="M13.5 3H7a1.8 1.8 0 0 0-1.8 1.8v14.4A1.8 1.8 0 0 0 7 21h10a1.8 1.8 0 0 0 1.8-1.8V8.3L13.5 3Z"/><path d="M13.3 3.2v5.3h5.3M12 17.5v-5.6M9.6 14l2.4-2.3 2.4 2.3"/>`);
export const lockOpen = () => icon(svg`<rect x="5" y="10.5" width="14" height="9.5" rx="2"/><path d="M8.3 10.5V7.6a3.7 3.7 0 0 1 7-1.6"/>`);
export const cloudOff = () => icon(svg`<path d="M4 4l16 16M7.3 9.1A4.6 4.6 0 0 0 7.6 18h9.2M19.8 16.6a3.9 3.9 0 0 0-2.4-6.9A5.6 5.6 0 0 0 10 6.3"/>`);
export const warning = () => icon(svg`<path d="M12 4 2.8 19.5h18.4L12 4Z"/><path d="M12 10v4.4M12 16.9v.2"/>`);
export const check = () => icon(svg`<path d="m5 12.6 4.6 4.6L19 7.4"/>`);
export const back = () => icon(svg`<path d="M14.5 5.5 8 12l6.5 6.5"/>`);
export const flip = () => icon(svg`<path d="M4 9.5A8 8 0 0 1 18.6 7.6M20 4.5v4h-4M20 14.5A8 8 0 0 1 5.4 16.4M4 19.5v-4h4"/>`);
export const link = () => icon(svg`<path d="M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1"/>`);
export const globe = () => icon(svg`<circle cx="12" cy="12" r="8.5"/><path d="M3.5 12h17M12 3.5c3 3 3 14 0 17M12 3.5c-3 3-3 14 0 17"/>`);

/** Arrow that points to the left; the page turns it. */
export const arrow = () => icon(svg`<path d="M20 12H5M11 5.5 4.5 12l6.5 6.5"/>`);

/** A document lying in its guide. */
export const documentDrawing = () => html`<svg class="drawing" viewBox="0 0 220 140" aria-hidden="true" focusable="false">
  <rect class="soft" x="30" y="22" width="160" height="100" rx="12"/>
  <rect class="line" x="30" y="22" width="160" height="100" rx="12"/>
  <circle class="tone" cx="68" cy="62" r="14"/><path class="tone" d="M44 98c3-15 12-22 24-22s21 7 24 22Z"/>
  <path class="stroke" d="M112 54h58M112 72h44M112 90h52"/>
  <path class="mark" d="M14 34V16a8 8 0 0 1 8-8h18M180 8h18a8 8 0 0 1 8 8v18M206 108v18a8 8 0 0 1-8 8h-18M40 134H22a8 8 0 0 1-8-8v-18"/></svg>`;

/** A card that is turned over. */
export const flipDrawing = () => html`<svg class="drawing" viewBox="0 0 220 140" aria-hidden="true" focusable="false">
  <rect class="soft" x="50" y="36" width="120" height="76" rx="10"/><rect class="line" x="50" y="36" width="120" height="76" rx="10"/>
  <path class="tone" d="M50 52h120v14H50z"/><path class="stroke" d="M64 82h60M64 96h92"/>
  <path class="mark" d="M62 22c26-16 70-16 96 0M158 22l-4-13M158 22l-14 2"/></svg>`;

/** A face in its oval. */
export const faceDrawing = () => html`<svg class="drawing" viewBox="0 0 220 150" aria-hidden="true" focusable="false">
  <ellipse class="soft" cx="110" cy="75" rx="46" ry="64"/>
  <path class="tone" d="M110 30c-19 0-31 14-31 36 0 25 14 47 31 47s31-22 31-47c0-22-12-36-31-36Z"/>
  <path class="face" d="M98 68v4M122 68v4M110 72v12M100 94c6 5 14 5 20 0"/>
  <ellipse class="mark" cx="110" cy="75" rx="46" ry="64"/>
  <path class="stroke" d="M44 75H24m0 0 8-8m-8 8 8 8M176 75h20m0 0-8-8m8 8-8 8"/></svg>`;

/** A phone that reads a code. */
export const doneDrawing = () => html`<svg class="drawing done" viewBox="0 0 120 120" aria-hidden="true" focusable="false">
  <circle class="soft" cx="60" cy="60" r="52"/><circle class="ring" cx="60" cy="60" r="40"/><path class="tick" d="m41 61 13 13 26-28"/></svg>`;
