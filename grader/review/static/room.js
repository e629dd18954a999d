// Comfort for the review room. Every page works without it; nothing is asked of any other place.
"use strict";

{  // a block, so that other scripts of a page keep their names

const one = (selector, within = document) => within.querySelector(selector);
const every = (selector, within = document) => [...within.querySelectorAll(selector)];
const remember = {
  get(key) { try { return localStorage.getItem(`room.${key}`); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(`room.${key}`, value); } catch { /* it is comfort only */ } },
};

document.documentElement.classList.add("scripted");

// A filter is applied as soon as it is chosen.
every("form[role=search] select").forEach(each => each.addEventListener("change", () => each.form.requestSubmit()));

const form = one("#mark");
if (form) marking(form);

function marking(form) {
  const keys = one("#keys"), kept = one("#kept"), said = one("#said"), level = one("#level"), save = one("#save");
  let timer = 0, sending = null, changed = false;

  // Drafts: sent a moment after each change, one at a time, and before the page is left.

  const body = () => { const all = new URLSearchParams(new FormData(form)); all.delete("do"); return all; };
  const tell = words => { said.textContent = words; said.hidden = !words; };

  async function keep(leaving = false) {
    clearTimeout(timer);
    if (!changed) return;
    if (sending) await sending;
    changed = false;
    sending = fetch(form.dataset.draft, {
      method: "POST", body: body(), keepalive: leaving, credentials: "same-origin",
      headers: {"X-CSRF-Token": form.elements.csrf.value},
    }).then(async answer => {
      const told = await answer.json().catch(() => ({}));
      if (told.kept) {
        form.elements.was.value = told.was;
        if (level.textContent !== told.level) level.textContent = told.level;
        kept.textContent = told.was === "none" ? "" : "kept as a draft";
      } else {
        kept.textContent = "not kept";
        tell(told.said || "The draft could not be kept. Save, or load the page again.");
      }
    }).catch(() => { changed = true; kept.textContent = "not kept: the room does not answer"; })
      .finally(() => { sending = null; });
    await sending;
  }

  form.addEventListener("input", event => {
    const each = event.target;
    if (each.name === "cannot_assess" && each.checked) every("[name=ticked]", form).forEach(box => { box.checked = false; });
    if (each.name === "ticked" && each.checked) one("[name=cannot_assess]", form).checked = false;
    form.elements.sure.value = "";
    changed = true;
    clearTimeout(timer);
    timer = setTimeout(keep, each.type === "checkbox" ? 0 : 400);
  });
  addEventListener("pagehide", () => { if (changed) keep(true); });
  document.addEventListener("visibilitychange", () => { if (document.hidden && changed) keep(true); });

  // A mark carries the draft that it was made from, so what is on its way is waited for.
  let going = false;
  form.addEventListener("submit", async event => {
    if (going) return;
    event.preventDefault();
    const by = event.submitter || save;
    clearTimeout(timer);
    changed = false;
    if (sending) await sending;
    going = true;
    setTimeout(() => form.requestSubmit(by));  // a form is not sent again while it still says that it is sent
  });

  // Keys.

  keys.checked = remember.get("keys") !== "off";
  keys.addEventListener("change", () => remember.set("keys", keys.checked ? "on" : "off"));
  const answer = one("#answer"), given = one("#given");

  function selected() {
    const chosen = getSelection();
    return chosen.rangeCount && given.contains(chosen.anchorNode) && given.contains(chosen.focusNode) ? chosen.toString().trim() : "";
  }

  const commands = {
    j: () => answer.scrollBy({top: 60}), k: () => answer.scrollBy({top: -60}),
    q(field) {
      const words = selected();
      if (words) { field.value = words; field.dispatchEvent(new Event("input", {bubbles: true})); } else field.focus();
    },
    n: field => field.focus(),
  };

  document.addEventListener("keydown", event => {
    const typing = event.target.matches("textarea, input:not([type=checkbox]), select");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(save); return; }
    if (event.key === "Escape" && typing) { event.target.blur(); return; }
    if (typing || !keys.checked || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Enter") {
      if (event.target.matches("a, button, summary")) return;
      event.preventDefault();
      form.requestSubmit(save);
      return;
    }
    const target = one(`[data-key="${CSS.escape(event.key)}"]`);
    if (!commands[event.key] && !target) return;
    event.preventDefault();
    if (commands[event.key]) commands[event.key](target);
    else if (target.matches("details")) { target.open = !target.open; one("summary", target).focus(); }
    else target.click();
  });

  // The bar between the two: dragged, or moved by the arrows when it has the focus.

  const panes = one("#panes"), bar = document.createElement("div");
  Object.entries({
    role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": "Width of the answer",
    "aria-valuemin": "25", "aria-valuemax": "75", "aria-controls": "answer", class: "bar-between",
  }).forEach(([name, value]) => bar.setAttribute(name, value));
  answer.after(bar);
  const widen = share => {
    const whole = Math.round(Math.min(75, Math.max(25, share)));
    panes.style.setProperty("--share", `${whole}%`);
    bar.setAttribute("aria-valuenow", whole);
    remember.set("share", whole);
  };
  widen(Number(remember.get("share")) || 62);
  bar.addEventListener("keydown", event => {
    const by = {ArrowLeft: -2, ArrowRight: 2, Home: -100, End: 100}[event.key];
    if (by) { event.preventDefault(); event.stopPropagation(); widen(Number(bar.getAttribute("aria-valuenow")) + by); }
  });
  bar.addEventListener("pointerdown", event => {
    bar.setPointerCapture(event.pointerId);
    const move = each => { const box = panes.getBoundingClientRect(); widen(100 * (each.clientX - box.left) / box.width); };
    bar.addEventListener("pointermove", move);
    bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", move), {once: true});
  });

  // Numbers of sentences are shown by the stylesheet; a click on one quotes that sentence.
  every(".sentence").forEach(each => each.addEventListener("click", () => {
    form.elements.quote.value = each.dataset.number;
    form.elements.quote.dispatchEvent(new Event("input", {bubbles: true}));
  }));
}

}
