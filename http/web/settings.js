// Changing a group's settings: what it has, what shall change, what that would do.
import { groupPath, Problem, send, tagged } from './api.js';
import { confirmChange } from './change.js';
import { openDialog } from './dialog.js';
import { h, name, show } from './dom.js';

/** `edits`: name -> value or null (dropped) that are filled in already. */
export async function editSettings(group, again, edits = {}) {
  const stop = new AbortController();
  const body = h('div', { id: 'settings' }, h('p', { class: 'quiet', role: 'status' }, 'Reading the settings ...'));
  openDialog('Change settings', body, () => stop.abort());
  try {
    const { document_, etag } = await tagged(groupPath(group, '/config'), stop.signal);
    if (!stop.signal.aborted) show(body, form(group, document_.config, etag, edits, again));
  } catch (error) {
    if (stop.signal.aborted) return;
    show(body, h('p', { class: 'problem', role: 'alert' }, error instanceof Problem ? error.message : String(error)));
  }
}

function form(group, config, etag, edits, again) {
  const rows = config.map((one) => row(one, edits));
  const said = h('p', { id: 'settings-said', role: 'status' });
  const submit = (event) => {
    event.preventDefault();
    const changes = changed(rows);
    if (Object.keys(changes).length === 0) return show(said, 'Nothing is changed.');
    preview(group, config, changes, etag, again);
  };
  return h(
    'form',
    { onsubmit: submit },
    h('p', {}, 'Settings of ', name(group), '. They are in force at once.'),
    h(
      'div',
      { class: 'form' },
      rows.map(({ element }) => element),
    ),
    said,
    h('button', { id: 'settings-preview' }, 'What would happen'),
  );
}

function row(one, edits) {
  const value = edits[one.name] ?? one.value;
  const input = h('input', { id: `set-${one.name}`, value, autocomplete: 'off', spellcheck: 'false' });
  const drop =
    one.origin === 'group'
      ? h('input', { id: `drop-${one.name}`, type: 'checkbox', checked: edits[one.name] === null })
      : null;
  const element = h(
    'div',
    { class: 'field' },
    h('label', { for: input.id }, h('code', {}, one.name), h('span', { class: 'label' }, ` from ${one.origin}`)),
    input,
    drop && h('label', { for: drop.id }, drop, ' no longer set for this group'),
  );
  return { one, input, drop, element };
}

/** What PATCH takes: only what differs; null drops an override. */
function changed(rows) {
  const out = {};
  for (const { one, input, drop } of rows) {
    if (drop?.checked) out[one.name] = null;
    else if (input.value.trim() !== one.value) out[one.name] = input.value.trim();
  }
  return out;
}

function preview(group, config, changes, etag, again) {
  const before = Object.fromEntries(config.map((one) => [one.name, one.value]));
  const at = groupPath(group, '/config');
  const headers = { 'If-Match': etag };
  confirmChange({
    title: 'Change settings',
    words: h(
      'ul',
      { id: 'settings-changes' },
      Object.entries(changes).map(([key, value]) =>
        h('li', {}, h('code', {}, key), ': ', name(before[key]), ' → ', value === null ? 'no longer set' : name(value)),
      ),
    ),
    button: 'Change the settings',
    plan: (signal) => send('PATCH', `${at}?dry_run=true`, { body: changes, headers, signal }),
    make: () => send('PATCH', at, { body: changes, headers }),
    done: () => {
      again();
      return 'The settings are in force.';
    },
    reread: () => editSettings(group, again, changes),
  });
}
