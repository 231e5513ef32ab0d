// Members, balance, near misses, alarms and settings of a group.
import { badge, duration, h, name, number, show, table, time } from './dom.js';

const PAGE = 50;

export function overview() {
  const balance = h('div', { id: 'balance' });
  const members = h('div', { id: 'members' });
  const config = h('div', { id: 'config' });
  const at = { page: 0, filter: '' };
  let last = null;
  const draw = () => last && show(members, memberTable(last, at, draw));
  const filter = h('input', {
    id: 'member-filter',
    type: 'search',
    'data-filter': true,
    autocomplete: 'off',
    oninput: () => {
      at.filter = filter.value.toLowerCase();
      at.page = 0;
      draw();
    },
  });
  const element = h(
    'div',
    {},
    balance,
    h('h2', {}, 'Members'),
    h('div', { class: 'bar' }, h('label', { for: 'member-filter' }, 'Member, process, client or host has'), filter),
    members,
    h('h2', {}, 'Settings'),
    config,
  );
  return {
    element,
    update(group) {
      last = group;
      show(balance, alarms(group), fairness(group), misses(group));
      draw();
      show(
        config,
        table(
          'Settings in force',
          ['Name', 'Value', 'Comes from'],
          group.config.map((one) => [h('code', {}, one.name), name(one.value), one.origin]),
          'This group has none.',
        ),
      );
    },
  };
}

function count(tasks) {
  return Object.values(tasks).reduce((sum, partitions) => sum + partitions.length, 0);
}

function matches(member, filter) {
  return (
    !filter ||
    [member.member_id, member.instance_id, member.process_id, member.client_id, member.client_host].some((text) =>
      text?.toLowerCase().includes(filter),
    )
  );
}

function memberTable(group, at, again) {
  const found = group.members.filter((member) => matches(member, at.filter));
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  at.page = Math.min(at.page, pages - 1);
  const part = found.slice(at.page * PAGE, (at.page + 1) * PAGE);
  const turn = (step) => () => {
    at.page += step;
    again();
  };
  return [
    table(
      'Members',
      [
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
      ],
      part.map(memberRow),
      'No member fits.',
    ),
    pages > 1
      ? h(
          'div',
          { class: 'bar' },
          h(
            'button',
            { type: 'button', id: 'members-before', disabled: at.page === 0, onclick: turn(-1) },
            'Previous',
          ),
          h('span', {}, `${at.page + 1} of ${pages}, ${number(found.length)} members`),
          h(
            'button',
            { type: 'button', id: 'members-next', disabled: at.page === pages - 1, onclick: turn(1) },
            'Next',
          ),
        )
      : null,
  ];
}

function memberRow(member) {
  const coming = ['active', 'standby', 'warmup'].reduce(
    (sum, role) =>
      sum +
      Object.entries(member.target[role]).reduce(
        (n, [id, partitions]) => n + partitions.filter((p) => !member.assigned[role][id]?.includes(p)).length,
        0,
      ),
    0,
  );
  const leaving = ['active', 'standby', 'warmup'].reduce((sum, role) => sum + count(member.to_revoke[role]), 0);
  return [
    [
      name(member.member_id),
      member.instance_id ? [' ', h('span', { class: 'label' }, 'static'), ' ', name(member.instance_id)] : null,
    ],
    name(member.process_id),
    name(member.client_id),
    name(member.client_host),
    badge(member.state),
    number(member.member_epoch),
    number(count(member.assigned.active)),
    number(count(member.assigned.standby)),
    number(count(member.assigned.warmup)),
    number(coming),
    number(leaving),
    duration(member.session_ends_in_ms),
  ];
}

function alarms(group) {
  if (!group.alarms?.length) return null;
  return h(
    'div',
    { class: 'waits' },
    h('h2', {}, 'Alarms'),
    h(
      'ul',
      {},
      group.alarms.map((one) =>
        h(
          'li',
          {},
          `${one.cause}: ${number(one.count)} times in ${duration(one.window_ms)}`,
          one.member_id ? [' by ', name(one.member_id)] : '',
          one.since ? [', since ', time(one.since)] : '',
        ),
      ),
    ),
  );
}

function fairness(group) {
  const of = group.balance;
  if (!of) return null;
  const idle = of.idle_members ?? [];
  return h(
    'div',
    {},
    h('h2', {}, 'Balance'),
    h(
      'p',
      {},
      `Active tasks per thread: ${number(of.active_per_thread_min)} to ${number(of.active_per_thread_max)}.`,
      idle.length ? ` ${number(idle.length)} idle members.` : '',
    ),
    of.warnings?.length
      ? h(
          'ul',
          { class: 'waits' },
          of.warnings.map((line) => h('li', {}, line)),
        )
      : null,
  );
}

function misses(group) {
  if (!group.near_misses?.length) return null;
  return h(
    'details',
    {},
    h('summary', {}, `${number(group.near_misses.length)} near misses`),
    table(
      'Near misses',
      ['Time', 'Member', 'What', 'After', 'Limit'],
      group.near_misses
        .slice(0, 100)
        .map((one) => [
          time(one.time),
          name(one.member_id),
          one.what,
          duration(one.after_ms),
          duration(one.limit_ms),
        ]),
    ),
  );
}
