// A change of a group, in three steps: what it would do as the server plans it, a confirmation, and what came of it.
import { Problem } from './api.js';
import { closeDialog, openDialog, tokenForm } from './dialog.js';
import { h, show } from './dom.js';
import { difference } from './plan.js';

/** The state of the group leaves nothing to plan; the change may be made all the same. */
const NOTHING_TO_PLAN = 409;

/**
 * what: {title, words, button, plan, planned, make, done, reread}. `words`: elements that say what is asked for.
 * `plan(signal)`: the document of a dry run; left out if the server has none for it. `planned(document)`: what is shown
 * of it; left out: it is a what-if. `make()`: does it. `done(result)`: what to say then. `reread()`: what helps if it
 * was planned on something that has changed since.
 */
export function confirmChange(what) {
  const stop = new AbortController();
  const body = h('div', { id: 'change' });
  const state = { what, body, signal: stop.signal };
  openDialog(what.title, body, () => stop.abort());
  plan(state);
}

async function plan(state) {
  const { what, body, signal } = state;
  try {
    show(body, what.words, h('p', { class: 'quiet', role: 'status' }, 'Asking what would happen ...'));
    const planned = what.plan ? await what.plan(signal) : null;
    if (signal.aborted) return;
    show(body, what.words, planned && (what.planned ?? difference)(planned), confirmation(state));
    document.getElementById('dialog-title').focus();
  } catch (error) {
    if (signal.aborted) return;
    if (error.status !== NOTHING_TO_PLAN) return refused(state, error);
    const why = `There is no plan of it: ${error.message}`;
    const said = h('p', { class: 'waits', role: 'status', id: 'change-unplanned' }, why);
    show(body, what.words, said, confirmation(state));
  }
}

function confirmation(state) {
  const make = h('button', { type: 'button', id: 'change-make', class: 'danger' }, state.what.button);
  make.addEventListener('click', async () => {
    make.disabled = true;
    try {
      const result = await state.what.make();
      const said = state.what.done(result);
      if (!state.signal.aborted) finished(state.body, said);
    } catch (error) {
      if (!state.signal.aborted) refused(state, error);
    }
  });
  return h('div', { class: 'bar' }, make);
}

function finished(body, said) {
  if (!said) return closeDialog();
  show(body, h('p', { id: 'change-done', role: 'status' }, said));
}

/** The server's words, and what helps: another token, another look, or nothing. */
function refused(state, error) {
  const said = error instanceof Problem ? error.message : `this page has a fault: ${error.message}`;
  const again = () => plan(state);
  const { reread } = state.what;
  const help = {
    401: () => tokenForm(again),
    403: () => null,
    404: () => null,
    412: () => h('button', { type: 'button', id: 'change-again', onclick: reread ?? again }, 'Read it again'),
  };
  const other = () => h('button', { type: 'button', id: 'change-again', onclick: again }, 'Try again');
  show(
    state.body,
    h('p', { class: 'problem', role: 'alert', id: 'change-problem' }, said),
    (help[error.status] ?? other)(),
  );
}
