// Changing settings, of a group or the defaults of all: what there is, what shall change, what that would do.
import { explain, groupPath, send, tagged } from './api.js';
import { confirmChange } from './change.js';
import { openDialog } from './dialog.js';
import { h, name, number, show } from './dom.js';

const NAMED = 20;

/** `edits`: name -> value or null (dropped) that are filled in already. */
export function editSettings(group, again, edits = {}) {
  return edit(
    {
      path: groupPath(group, '/config'),
      title: 'Change settings',
      words: ['Settings of ', name(group), '. They are in force at once.'],
      own: 'group',
      drop: ' no longer set for this group',
      rows: (config) => config,
      done: 'The settings are in force.',
      again,
    },
    edits,
  );
}

/** The same of what groups inherit. */
export function editDefaults(again, edits = {}) {
  return edit(
    {
      path: 'v1/config',
      title: 'Change the defaults of all groups',
      words: 'What groups run with that do not set it themselves. It is in force at once, and stays over restarts.',
      own: 'run time',
      drop: ' given back to the configuration',
      rows: (config) => config.map((one) => ({ ...one, name: one.group_name })),
      planned: followers,
      done: 'The defaults are in force.',
      again,
    },
    edits,
  );
}

/** Which groups get another assignment; what one of them would get is what its what-if says. */
function followers(planned) {
  const shown = planned.groups.slice(0, NAMED);
  const link = (group) => h('li', {}, h('a', { href: `#/groups/${encodeURIComponent(group)}/what-if` }, name(group)));
  const more = planned.groups_total - shown.length;
  return h(
    'div',
    { id: 'followers' },
    h('h2', {}, 'What would change'),
    h('p', {}, `Groups that get another assignment by it: ${number(planned.groups_total)}.`),
    h('ul', {}, shown.map(link), more > 0 ? h('li', {}, `and ${number(more)} more`) : null),
  );
}

async function edit(of, edits) {
  const stop = new AbortController();
  const body = h('div', { id: 'settings' }, h('p', { class: 'quiet', role: 'status' }, 'Reading the settings ...'));
  openDialog(of.title, body, () => stop.abort());
  try {
    const { document_, etag } = await tagged(of.path, stop.signal);
    if (!stop.signal.aborted) show(body, form(of, of.rows(document_.config), etag, edits));
  } catch (error) {
    if (!stop.signal.aborted) show(body, h('p', { class: 'problem', role: 'alert' }, explain(error)));
  }
}

function form(of, config, etag, edits) {
  const rows = config.map((one) => row(of, one, edits));
  const said = h('p', { id: 'settings-said', role: 'status' });
  const submit = (event) => {
    event.preventDefault();
    const changes = changed(rows);
    if (Object.keys(changes).length === 0) return show(said, 'Nothing is changed.');
    preview(of, config, changes, etag);
  };
  return h(
    'form',
    { onsubmit: submit },
    h('p', {}, of.words),
    h(
      'div',
      { class: 'form' },
      rows.map(({ element }) => element),
    ),
    said,
    h('button', { id: 'settings-preview' }, 'What would happen'),
  );
}

function row(of, one, edits) {
  const value = edits[one.name] ?? one.value;
  const input = h('input', { id: `set-${one.name}`, value, autocomplete: 'off', spellcheck: 'false' });
  const drop =
    one.origin === of.own
      ? h('input', { id: `drop-${one.name}`, type: 'checkbox', checked: edits[one.name] === null })
      : null;
  const element = h(
    'div',
    { class: 'field' },
    h('label', { for: input.id }, h('code', {}, one.name), h('span', { class: 'label' }, ` from ${one.origin}`)),
    input,
    drop && h('label', { for: drop.id }, drop, of.drop),
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

function preview(of, config, changes, etag) {
  const before = Object.fromEntries(config.map((one) => [one.name, one.value]));
  const headers = { 'If-Match': etag };
  confirmChange({
    title: of.title,
    words: h(
      'ul',
      { id: 'settings-changes' },
      Object.entries(changes).map(([key, value]) => {
        const after = value === null ? 'no longer set' : name(value);
        return h('li', {}, h('code', {}, key), ': ', name(before[key]), ' → ', after);
      }),
    ),
    button: 'Change the settings',
    plan: (signal) => send('PATCH', `${of.path}?dry_run=true`, { body: changes, headers, signal }),
    planned: of.planned,
    make: () => send('PATCH', of.path, { body: changes, headers }),
    done: () => {
      of.again();
      return of.done;
    },
    reread: () => edit(of, changes),
  });
}
