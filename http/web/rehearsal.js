// Rehearsal of a migration from the classic protocol: what an application is, and what would become of it. Changes
// nothing.
import { groupPath, Problem, send } from './api.js';
import { badge, h, name, number, show, table } from './dom.js';
import { difference } from './plan.js';
import { topologyForm } from './topology_form.js';
import { field, pairs, questions } from './what_if.js';

const PLAIN = { autocomplete: 'off', spellcheck: 'false' };
const WORDS = {
  ok: 'It can move: nothing stands in its way.',
  warning: 'It can move, and something will differ from what was.',
  error: 'It would fail, or has to wait.',
};

/** Fills `into`; `query` may name the group. Returns what ends it. */
export function rehearsalPage(into, query) {
  const group = h('input', { id: 'rh-group', value: query.get('group') ?? '', 'data-filter': true, ...PLAIN });
  const processes = h('input', { id: 'rh-processes', type: 'number', min: 1, max: 1000, value: 1 });
  const threads = h('input', { id: 'rh-threads', type: 'number', min: 1, max: 1000, value: 1 });
  const client = h('textarea', { id: 'rh-client', rows: 5, placeholder: 'num.standby.replicas=1', ...PLAIN });
  const config = h('textarea', { id: 'rh-config', rows: 5, placeholder: 'streams.num.standby.replicas=1', ...PLAIN });
  const topology = topologyForm();
  const answer = h('div', { id: 'rh-answer', role: 'status' });
  const asking = questions(answer);
  const ask = asking(async (signal) => {
    const body = question({ processes, threads, client, config, topology });
    const id = group.value.trim();
    if (!id) throw new Problem(400, 'which application? Its application.id is needed');
    show(answer, h('p', { class: 'quiet' }, 'Asking ...'));
    show(answer, told(await send('POST', groupPath(id, '/rehearsal'), { body, signal })));
    answer.scrollIntoView({ block: 'nearest' });
  });
  into.append(
    h('h1', { tabindex: -1 }, 'Rehearsal of a migration'),
    h('p', {}, 'What would become of an application of the classic protocol that starts with group.protocol=streams.'),
    h(
      'form',
      { class: 'form', onsubmit: ask },
      field('Application (application.id)', group),
      field('Processes', processes),
      field('Threads of each', threads),
      topology.element,
      field('Settings of the client, as its file of properties', client),
      field('Settings of the group to be made before, one name=value a line', config),
      h('div', { class: 'bar wide' }, h('button', { id: 'rh-ask' }, 'Rehearse')),
    ),
    answer,
  );
  return () => asking.end();
}

function question({ processes, threads, client, config, topology }) {
  return {
    topology: topology.value(),
    processes: Number(processes.value),
    threads: Number(threads.value),
    client: properties(client.value),
    config: pairs(config.value, 'a setting'),
  };
}

/** Such settings say nothing of a migration, and are nobody else's business: they are not sent. */
const SECRET = /^(sasl|ssl)\.|password|secret|token/i;

/**
 * A file of properties: `name=value` or `name: value`, comments begin with # or !, a line that ends with a backslash
 * goes on in the next one; a later line counts.
 */
function properties(text) {
  const out = {};
  for (const line of text.replace(/\\\r?\n\s*/g, '').split('\n').map((one) => one.trim())) {
    if (line === '' || line[0] === '#' || line[0] === '!') continue;
    const at = line.search(/[=:]/);
    if (at < 1) throw new Problem(400, `a setting of the client is written name=value, not "${line}"`);
    const name = line.slice(0, at).trim();
    if (!SECRET.test(name)) out[name] = line.slice(at + 1).trim();
  }
  return out;
}

/** The answer: first whether it works, then each check and what it looked at. */
function told(of) {
  return [
    h('h2', {}, 'What would become of ', name(of.group_id)),
    h('p', { id: 'rh-verdict', class: 'verdict' }, badge(of.status), ` ${WORDS[of.status] ?? ''}`),
    table(
      'Checks',
      ['Check', 'Result', 'What'],
      of.checks.map((one) => [one.check, badge(one.status), one.text]),
    ),
    topics(of.topics),
    section(
      of.offsets,
      'Committed offsets',
      ['Topic', 'Partitions', 'The application'],
      (one) => [name(one.topic), number(one.partitions), one.carries_over ? 'goes on from them' : 'leaves them behind'],
    ),
    section(
      of.settings,
      'Settings of the client that no longer count',
      ['Name', 'On the client', 'In force', 'Result', 'What'],
      (one) => [
        h('code', {}, one.name),
        name(one.value),
        name(one.in_force),
        badge(one.status),
        one.text,
      ],
    ),
    steps("Rights that the application's principal needs", of.rights),
    of.plan ? h('details', {}, h('summary', {}, 'Its first assignment'), difference(of.plan)) : null,
    steps('The way back', of.way_back),
  ];
}

function topics(of) {
  return section(of, 'Topics', ['Topic', 'Role', 'Result', 'Partitions expected', 'Found'], (one) => [
    name(one.topic),
    one.role,
    badge(one.status),
    one.expected_partitions === null ? 'any' : number(one.expected_partitions),
    one.found_partitions === 0 ? 'none' : number(one.found_partitions),
  ]);
}

/** A heading and a table; nothing without rows. */
function section(rows, heading, heads, cells) {
  return rows.length > 0 ? [h('h2', {}, heading), table(heading, heads, rows.map(cells))] : null;
}

function steps(heading, lines) {
  if (lines.length === 0) return null;
  return [
    h('h2', {}, heading),
    h(
      'ul',
      {},
      lines.map((line) => h('li', {}, line)),
    ),
  ];
}
