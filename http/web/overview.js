// Members, balance, input lag, near misses, alarms and settings of a group.
import { balanceOf } from './balance.js';
import { duration, h, name, number, show, table, time } from './dom.js';
import { memberTables } from './members.js';
import { inputLag } from './offsets.js';

const IDLE_NAMED = 5;

export function overview(group_id, again) {
  const balance = h('div', { id: 'balance' });
  const members = memberTables(group_id, again);
  const lag = inputLag(group_id);
  const config = h('div', { id: 'config' });
  return {
    element: h('div', {}, balance, members.element, lag.element, h('h2', {}, 'Settings'), config),
    update(group, signal) {
      show(balance, alarms(group), fairness(group), misses(group));
      members.update(group);
      show(
        config,
        table(
          'Settings in force',
          ['Name', 'Value', 'Comes from'],
          group.config.map((one) => [h('code', {}, one.name), name(one.value), one.origin]),
          'This group has none.',
        ),
      );
      if (group.type === 'streams') lag.update(signal);
    },
    end: () => members.end(),
  };
}

function alarms(group) {
  if (!group.alarms?.length) return null;
  return h(
    'div',
    { class: 'waits', id: 'alarms' },
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
  if (group.members.length === 0) return null;
  const of = balanceOf(group);
  const idle = of.idle_members;
  return h(
    'div',
    {},
    h('h2', {}, 'Balance'),
    h(
      'p',
      { id: 'fairness' },
      group.balance ? `${group.balance.text} ` : null,
      `Active tasks per thread: ${number(of.active_per_thread_min)} to ${number(of.active_per_thread_max)}.`,
      ` Tasks with a standby: ${number(of.copies)} of ${number(of.tasks)}.`,
      idle.length ? [` Threads without any task: ${number(idle.length)} (`, idleNames(idle), ').'] : null,
    ),
    of.warnings.length
      ? h(
          'ul',
          { class: 'waits' },
          of.warnings.map((line) => h('li', {}, line)),
        )
      : null,
  );
}

function idleNames(idle) {
  const some = idle.slice(0, IDLE_NAMED).map((id, n) => [n > 0 ? ', ' : '', name(id)]);
  return [some, idle.length > IDLE_NAMED ? ', ...' : ''];
}

function misses(group) {
  if (!group.near_misses?.length) return null;
  return h(
    'div',
    { id: 'near-misses' },
    h('h2', {}, `Near misses: ${number(group.near_misses.length)}`),
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
