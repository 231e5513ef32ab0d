// Members and processes of a group, a page at a time, with what can be done to each.
import { button, drain, removeMember, undrain } from './actions.js';
import { badge, duration, h, name, number, show, table, time } from './dom.js';

const PAGE = 50;
const AWAY_EPOCH = -2;

/** Both tables and the field that filters them: {element, update(group)}. */
export function memberTables(group, again) {
  const processes = h('div', { id: 'processes' });
  const members = h('div', { id: 'members' });
  const at = { filter: '', pages: { members: 0, processes: 0 } };
  let last = null;
  const draw = () => {
    if (!last) return;
    const found = last.members.filter((member) => matches(member, at.filter));
    show(members, paged('members', MEMBERS, found, at, draw, (one) => memberRow(group, one, again)));
    const drained = new Set(last.drained_processes ?? []);
    const rows = processesOf(found).map((one) => ({ ...one, drained: drained.has(one.id) }));
    show(processes, paged('processes', PROCESSES, rows, at, draw, (one) => processRow(group, one, again)));
  };
  const filter = h('input', {
    id: 'member-filter',
    type: 'search',
    'data-filter': true,
    autocomplete: 'off',
    oninput: () => {
      at.filter = filter.value.toLowerCase();
      at.pages = { members: 0, processes: 0 };
      draw();
    },
  });
  const element = h(
    'div',
    {},
    h('div', { class: 'bar' }, h('label', { for: 'member-filter' }, 'Member, process, client or host has'), filter),
    h('h2', {}, 'Members'),
    members,
    h('h2', {}, 'Processes'),
    processes,
  );
  window.addEventListener('changesrefused', draw);
  return {
    element,
    update(document_) {
      last = document_;
      draw();
    },
    end: () => window.removeEventListener('changesrefused', draw),
  };
}

const MEMBERS = {
  caption: 'Members',
  empty: 'No member fits.',
  heads: [
    'Member',
    'Process',
    'Client',
    'Host',
    'State',
    'Epoch',
    'Active',
    'Standby',
    'Warm-up',
    'To come',
    'To give up',
    'Session ends in',
    'Commits refused',
    'Change',
  ],
};
const PROCESSES = {
  caption: 'Processes',
  empty: 'No process fits.',
  heads: ['Process', 'Host', 'Rack', 'Threads', 'Active', 'Standby', 'Warm-up', 'Active per thread', '', 'Change'],
};

function matches(member, filter) {
  return (
    !filter ||
    [member.member_id, member.instance_id, member.process_id, member.client_id, member.client_host].some((text) =>
      text?.toLowerCase().includes(filter),
    )
  );
}

function paged(id, { caption, heads, empty }, all, at, again, row) {
  const pages = Math.max(1, Math.ceil(all.length / PAGE));
  at.pages[id] = Math.min(at.pages[id], pages - 1);
  const page = at.pages[id];
  const turn = (step) => () => {
    at.pages[id] += step;
    again();
  };
  const turner = (name_of, text, step, disabled) =>
    h('button', { type: 'button', id: `${id}-${name_of}`, disabled, onclick: turn(step) }, text);
  return [
    table(caption, heads, all.slice(page * PAGE, (page + 1) * PAGE).map(row), empty),
    pages > 1
      ? h(
          'div',
          { class: 'bar' },
          turner('before', 'Previous', -1, page === 0),
          h('span', {}, `${page + 1} of ${pages}, ${number(all.length)} ${id}`),
          turner('next', 'Next', 1, page === pages - 1),
        )
      : null,
  ];
}

/** How many tasks of a role. */
export function count(tasks) {
  return Object.values(tasks).reduce((sum, partitions) => sum + partitions.length, 0);
}

function memberRow(group, member, again) {
  const roles = ['active', 'standby', 'warmup'];
  const coming = roles.reduce((sum, role) => sum + missing(member.target[role], member.assigned[role]), 0);
  const leaving = roles.reduce((sum, role) => sum + count(member.to_revoke[role]), 0);
  const id = member.member_id;
  return [
    [
      name(id),
      member.instance_id ? [' ', h('span', { class: 'label' }, 'static'), ' ', name(member.instance_id)] : null,
    ],
    name(member.process_id),
    name(member.client_id),
    name(member.client_host),
    badge(member.member_epoch === AWAY_EPOCH ? 'AWAY' : member.state),
    number(member.member_epoch),
    ...roles.map((role) => number(count(member.assigned[role]))),
    number(coming),
    number(leaving),
    duration(member.session_ends_in_ms),
    refused(member.commits),
    button(`remove-${id}`, 'Remove', () => removeMember(group, id, again), `Remove member ${id}`),
  ];
}

/** How many commits of how many, and why and when the last one. */
function refused(commits) {
  if (!commits) return null;
  const all = `${number(commits.refused)} of ${number(commits.accepted + commits.refused)}`;
  const last = commits.last_refused;
  return last ? h('span', { class: 'behind' }, `${all}, last `, last.error, ' ', time(last.at)) : all;
}

/** How many of `wanted` are not in `held`. */
function missing(wanted, held) {
  return Object.entries(wanted).reduce(
    (sum, [id, partitions]) => sum + partitions.filter((p) => !held[id]?.includes(p)).length,
    0,
  );
}

/** In the order of their first members. */
export function processesOf(members) {
  const all = new Map();
  for (const member of members) {
    const id = member.process_id;
    if (!all.has(id)) {
      all.set(id, { id, host: member.client_host, rack: member.rack_id, threads: 0, active: 0, standby: 0, warmup: 0 });
    }
    const process = all.get(id);
    process.threads += 1;
    for (const role of ['active', 'standby', 'warmup']) process[role] += count(member.assigned[role]);
  }
  return [...all.values()];
}

function processRow(group, process, again) {
  const { id } = process;
  const act = process.drained
    ? button(`undrain-${id}`, 'Give it tasks again', () => undrain(group, id, again), `Give process ${id} tasks again`)
    : button(`drain-${id}`, 'Drain', () => drain(group, id, again), `Drain process ${id}`);
  return [
    name(id),
    name(process.host),
    name(process.rack),
    number(process.threads),
    number(process.active),
    number(process.standby),
    number(process.warmup),
    (process.active / process.threads).toFixed(1),
    process.drained ? h('span', { class: 'behind' }, 'drained') : null,
    act,
  ];
}
