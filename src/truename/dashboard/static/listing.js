// @ts-check
// Live rows: a row that changed is fetched again and replaced in place; new ones wait behind a line that says so.
import { say } from "./dashboard.js";

const table = document.getElementById("rows");
const news = document.getElementById("news");
let created = 0;
let said = 0;

/** @param {Element} row */
function isBusy(row) { return row.matches(":hover") || row.contains(document.activeElement); }

/** @param {string[]} ids */
async function refresh(ids) {
  const wanted = ids.filter((id) => table?.querySelector(`tr[data-id="${CSS.escape(id)}"]`));
  if (!wanted.length) return;
  const answer = await fetch(`/dashboard/transactions/rows${location.search}`, { headers: { "HX-Request": "true" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of wanted) {
    const row = table?.querySelector(`tr[data-id="${CSS.escape(id)}"]`);
    const fresh = page.querySelector(`tr[data-id="${CSS.escape(id)}"]`);
    if (!row || isBusy(row)) continue;
    if (fresh) { fresh.classList.add("changed"); row.replaceWith(document.adoptNode(fresh)); } else row.classList.add("left");
  }
}

document.addEventListener("truename:live", (event) => {
  const detail = /** @type {CustomEvent} */ (event).detail ?? {};
  created += detail.created ?? 0;
  if (news && created) {
    const words = `${created} new: show`;
    const place = news.querySelector("[data-news]");
    if (place) place.textContent = words;
    news.hidden = false;
    if (Date.now() - said > 10_000) { said = Date.now(); say(words); }
  }
  void refresh(detail.transactions ?? []);
});
