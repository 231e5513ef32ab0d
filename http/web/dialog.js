// The one dialog of the page, and the field for the token in it.
import { setToken, token } from './api.js';
import { h, show } from './dom.js';

const dialog = document.getElementById('dialog');
let closed = () => {};
let opener = '';

dialog.addEventListener('close', () => {
  if (dialog.open) return;
  closed();
  document.getElementById(opener)?.focus({ preventScroll: true }); // it may have been drawn anew meanwhile
});

export function dialogIsOpen() {
  return dialog.open;
}

export function closeDialog() {
  dialog.close();
}

/** Opens it, or changes what is in it. `onclose` is called once, when it is closed or shows something else. */
export function openDialog(title, content, onclose = () => {}) {
  closed();
  closed = () => {
    closed = () => {};
    onclose();
  };
  show(
    dialog,
    h('h2', { id: 'dialog-title', tabindex: -1 }, title),
    content,
    h('button', { type: 'button', id: 'dialog-close', onclick: closeDialog }, 'Close'),
  );
  if (!dialog.open) {
    opener = document.activeElement?.id ?? '';
    dialog.showModal();
  }
  document.getElementById('dialog-title').focus();
}

/** A form for the token; `kept` is called when there is another one. It is known to this tab only. */
export function tokenForm(kept) {
  const field = h('input', { id: 'token-field', type: 'password', autocomplete: 'off', value: token() });
  const keep = (event) => {
    event.preventDefault();
    setToken(field.value.trim());
    kept();
  };
  return h(
    'form',
    { class: 'bar', onsubmit: keep },
    h('label', { for: 'token-field' }, 'Token, as http.token or http.tokens has it; kept until this tab is closed'),
    field,
    h('button', { id: 'token-keep' }, 'Keep'),
  );
}
