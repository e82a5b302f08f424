// @ts-check
// The lab's sliders: a moved one counts as changed, its number follows, and the address keeps the state.

const form = document.getElementById("sliders");
form?.addEventListener("input", (event) => {
  const slider = event.target;
  if (slider instanceof HTMLInputElement && slider.type === "range") {
    const output = form.querySelector(`output[data-for="${CSS.escape(slider.name)}"]`);
    const short = Number(slider.value).toFixed(2);
    if (output) output.textContent = Number(short) === Number(slider.value) ? short : slider.value;
    const used = form.querySelector(`input[name="use_${CSS.escape(slider.name)}"]`);
    if (used instanceof HTMLInputElement) used.checked = true;
  }
  const state = new URLSearchParams();
  for (const [name, value] of new FormData(/** @type {HTMLFormElement} */ (form))) if (value) state.append(name, String(value));
  history.replaceState(null, "", `?${state}`);
});
