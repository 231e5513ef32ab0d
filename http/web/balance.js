// Whether the tasks of a group are spread well, from its document: threads, processes, copies and racks.
import { count, processesOf } from './members.js';

const NAMED = 5;

/** {active_per_thread_min, active_per_thread_max, idle_members, copies, warnings} of a group with members. */
export function balanceOf(group) {
  const loads = group.members.map((member) => count(member.assigned.active));
  const idle = group.members.filter((member) =>
    ['active', 'standby', 'warmup'].every((role) => count(member.assigned[role]) === 0),
  );
  const tasks = tasksOf(group.members);
  const warnings = [...uneven(group, loads), ...oneSided(group, tasks), ...uncovered(tasks), ...sameRack(tasks)];
  return {
    active_per_thread_min: Math.min(...loads),
    active_per_thread_max: Math.max(...loads),
    idle_members: idle.map((member) => member.member_id),
    copies: tasks.filter((task) => task.copies.length > 0).length,
    tasks: tasks.length,
    warnings,
  };
}

/** Active tasks: {id, subtopology, owner, copies}; owner and copies are members. */
function tasksOf(members) {
  const all = new Map();
  const each = (member, role, note) => {
    for (const [subtopology, partitions] of Object.entries(member.assigned[role])) {
      for (const partition of partitions) {
        const id = `${subtopology}_${partition}`;
        if (!all.has(id)) all.set(id, { id, subtopology, owner: null, copies: [] });
        note(all.get(id));
      }
    }
  };
  for (const member of members) {
    each(member, 'active', (task) => {
      task.owner = member;
    });
    each(member, 'standby', (task) => task.copies.push(member));
  }
  return [...all.values()].filter((task) => task.owner !== null);
}

function uneven(group, loads) {
  if (group.drained_processes?.length || loads.length < 2) return [];
  const spread = Math.max(...loads) - Math.min(...loads);
  return spread > 2 ? [`One thread has ${spread} active tasks more than another.`] : [];
}

/** All tasks of a subtopology at one process, although there are others. */
function oneSided(group, tasks) {
  if (processesOf(group.members).length < 2) return [];
  return [...grouped(tasks, (task) => task.subtopology)]
    .filter(([, all]) => all.length > 1 && new Set(all.map((task) => task.owner.process_id)).size === 1)
    .map(([id, all]) => `All ${all.length} tasks of subtopology ${id} are at process ${all[0].owner.process_id}.`);
}

/** Tasks without a copy while others of their subtopology have one. */
function uncovered(tasks) {
  const kept = new Set(tasks.filter((task) => task.copies.length > 0).map((task) => task.subtopology));
  const bare = tasks.filter((task) => kept.has(task.subtopology) && task.copies.length === 0);
  return bare.length ? [`${named(bare)} without a standby, unlike others of the same subtopology.`] : [];
}

/** Tasks of which every copy is in the rack of the owner. */
function sameRack(tasks) {
  const shared = tasks.filter(
    ({ owner, copies }) => owner.rack_id && copies.length > 0 && copies.every((one) => one.rack_id === owner.rack_id),
  );
  return shared.length ? [`${named(shared)} with all copies in one rack.`] : [];
}

function named(tasks) {
  const some = tasks.slice(0, NAMED).map((task) => task.id);
  const rest = tasks.length > NAMED ? ', ...' : '';
  return `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'} (${some.join(', ')}${rest})`;
}

function grouped(items, key) {
  const all = new Map();
  for (const item of items) {
    if (!all.has(key(item))) all.set(key(item), []);
    all.get(key(item)).push(item);
  }
  return all;
}
