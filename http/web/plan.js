// A plan of the server as it is shown wherever one is asked for: what-if, the dry run of a change, a rehearsal.
import { h, name, number, table } from './dom.js';
import { movedTable } from './timeline.js';

const MOVED_SHOWN = 500;

/** A plan: what moves, warnings, figures before and after. */
export function difference(plan) {
  const moved = plan.moved ?? [];
  return [
    h('h2', {}, 'What would change'),
    h(
      'p',
      {},
      `${number(plan.tasks_moved)} tasks would move`,
      plan.state_to_restore === null || plan.state_to_restore === undefined
        ? '.'
        : `, with ${number(plan.state_to_restore)} records to restore.`,
    ),
    plan.warnings?.length
      ? h(
          'ul',
          { class: 'waits' },
          plan.warnings.map((line) => h('li', {}, line)),
        )
      : null,
    statistics(plan.before, plan.after),
    moved.length ? movedTable(moved.slice(0, MOVED_SHOWN)) : null,
    moved.length > MOVED_SHOWN ? h('p', {}, `and ${number(moved.length - MOVED_SHOWN)} more`) : null,
    target(plan.target),
  ];
}

/** Whatever numbers the server compares, side by side; those that differ stand out. */
function statistics(before, after) {
  const old = flat(before);
  const now = flat(after);
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return table(
    'Before and after',
    ['', 'Before', 'After'],
    keys.map((key) => [
      key.replaceAll('_', ' '),
      value(old[key]),
      h('span', { class: old[key] === now[key] ? null : 'behind' }, value(now[key])),
    ]),
  );
}

function value(of) {
  return typeof of === 'number' ? number(of) : (of ?? '-');
}

function flat(of, prefix = '') {
  const out = {};
  for (const [key, one] of Object.entries(of ?? {})) {
    if (Array.isArray(one)) out[prefix + key] = one.length;
    else if (one !== null && typeof one === 'object') Object.assign(out, flat(one, `${prefix}${key} `));
    else out[prefix + key] = one;
  }
  return out;
}

function target(of) {
  const members = Object.entries(of ?? {});
  if (members.length === 0) return null;
  const count = (tasks) =>
    Array.isArray(tasks)
      ? tasks.length
      : Object.values(tasks ?? {}).reduce((sum, partitions) => sum + (partitions.length ?? 1), 0);
  return h(
    'details',
    {},
    h('summary', {}, 'Target by member'),
    table(
      'Target by member',
      ['Member', 'Active', 'Standby'],
      members
        .slice(0, MOVED_SHOWN)
        .map(([member, tasks]) => [name(member), number(count(tasks.active)), number(count(tasks.standby))]),
    ),
  );
}
