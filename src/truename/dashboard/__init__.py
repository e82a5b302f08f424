"""The dashboard under /dashboard: pages for people who review, operate and integrate. Rendered here; scripts help.

To add a screen:

1. Write its handler in a module of this room: `async def show(visit: Visit) -> Response`. The `Visit` (visit.py) knows
   who looks (`visit.operator`, `visit.role`), at which account (`visit.account_id`, `visit.account`), and what was sent
   (`visit.form`, `visit.request.query_params`). It answers with `visit.page("name.html", what=…)`, `visit.part(…)` for
   a piece of a page that htmx asked for, or `visit.redirect("/dashboard/…", Notice.SAVED)` after a change. A refusal of
   plumbing/errors.py becomes a page of its own. `visit.caller` calls the verbs of other rooms; their audit lines then
   name the operator.
2. Write `templates/name.html`, which extends `base.html` (blocks `title`, `main`; `{% set here = "customers" %}` marks
   the entry of the navigation). Everything is escaped; there is no `|safe`, no inline script, no inline style. Forms
   are `<form method="post">{{ csrf }}…</form>`. Filters and pieces: words.py and `templates/pieces.html`.
3. List it: `screens = (Screen("GET", "/dashboard/name", show, Role.VIEWER), …)`, and add that tuple to `routes.py`.
   The role is what the route demands; a test drives every route with every role from that list. A screen that a person
   reaches from everywhere gets an `Entry` in navigation.py.

Pictures: `visit.picture(media_id)` is an address for an `<img>` that works for a minute in this session only; the read
is audited and never cached (media.py). Live rows: the stream of live.py, read by `listing.js`.
"""
