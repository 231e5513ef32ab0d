// What would happen if: another assignor or other settings, members more or less, more partitions. Changes nothing.
import { get, groupPath, offers, post, Problem } from './api.js';
import { h, name, number, show, table } from './dom.js';
import { movedTable } from './timeline.js';

const MOVED_SHOWN = 500;
const MEMBERS_LISTED = 2_000;

export function whatIf(group) {
  const assignor = h('select', { id: 'wi-assignor' }, h('option', { value: '' }, 'as it is'));
  const config = h('textarea', {
    id: 'wi-config',
    rows: 3,
    placeholder: 'streams.num.standby.replicas=1',
    spellcheck: 'false',
    'data-filter': true,
  });
  const process = h('input', { id: 'wi-process', placeholder: 'new-process', value: 'new-process' });
  const threads = h('input', { id: 'wi-threads', type: 'number', min: 0, max: 1000, value: 0 });
  const members = h('select', { id: 'wi-members', multiple: true, size: 5 });
  const processes = h('select', { id: 'wi-processes', multiple: true, size: 5 });
  const partitions = h('textarea', { id: 'wi-partitions', rows: 2, placeholder: 'words=8', spellcheck: 'false' });
  const answer = h('div', { id: 'wi-answer', role: 'status' });
  const ask = async (event) => {
    event.preventDefault();
    try {
      const body = request({ assignor, config, process, threads, members, processes, partitions });
      show(answer, h('p', { class: 'quiet' }, 'Asking ...'));
      show(answer, difference(await post(groupPath(group, '/what-if'), body)));
    } catch (error) {
      const hint = error.status === 401 ? ' - see the button "Token" above' : '';
      show(
        answer,
        h(
          'p',
          { class: 'problem', role: 'alert' },
          error instanceof Problem ? error.message + hint : `this page has a fault: ${error.message}`,
        ),
      );
    }
  };
  const element = h(
    'form',
    { class: 'form', onsubmit: ask },
    field('Assignor', assignor),
    field('Settings, one name=value a line', config),
    field('Process that joins', process),
    field('with so many threads', threads),
    field('Members that leave', members),
    field('Processes that leave', processes),
    field('Topics with more partitions, topic=count', partitions),
    h('button', { id: 'wi-ask' }, 'Ask'),
    answer,
  );
  listAssignors(assignor);
  return {
    element,
    update(of) {
      choices(members, of.members.map((member) => member.member_id).slice(0, MEMBERS_LISTED));
      choices(processes, [...new Set(of.members.map((member) => member.process_id))].slice(0, MEMBERS_LISTED));
    },
  };
}

function field(label, input) {
  return h('div', { class: 'field' }, h('label', { for: input.id }, label), input);
}

async function listAssignors(into) {
  if (!(await offers('/v1/assignors'))) return;
  try {
    const known = await get('v1/assignors');
    into.append(...known.items.map((one) => h('option', { value: one.name, title: one.description }, one.name)));
  } catch {
    // The form works without the list: the group's own assignor is asked.
  }
}

/** Only when they changed, so that a choice half made stays. */
function choices(into, values) {
  if (into.options.length === values.length && values.every((value, i) => into.options[i].value === value)) return;
  into.replaceChildren(...values.map((value) => h('option', { value }, value)));
}

function request(form) {
  const body = {};
  const config = pairs(form.config.value, 'a setting');
  const partitions = pairs(form.partitions.value, 'a topic');
  const leaving = (select) => [...select.selectedOptions].map((option) => option.value);
  if (form.assignor.value) body.assignor = form.assignor.value;
  if (Object.keys(config).length) body.config = config;
  if (Number(form.threads.value) > 0)
    body.add_members = [{ process_id: form.process.value, count: Number(form.threads.value) }];
  if (form.members.selectedOptions.length) body.remove_members = leaving(form.members);
  if (form.processes.selectedOptions.length) body.remove_processes = leaving(form.processes);
  if (Object.keys(partitions).length) {
    body.partitions = Object.fromEntries(Object.entries(partitions).map(([topic, count]) => [topic, Number(count)]));
  }
  return body;
}

function pairs(text, what) {
  const out = {};
  for (const line of text
    .split('\n')
    .map((one) => one.trim())
    .filter(Boolean)) {
    const at = line.indexOf('=');
    if (at < 1) throw new Problem(400, `${what} is written name=value, not "${line}"`);
    out[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return out;
}

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
