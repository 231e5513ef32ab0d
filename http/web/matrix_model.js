// Who holds which task, from the group document: rows, columns and cells of the two forms of the matrix.

export const ROLES = ['active', 'standby', 'warmup'];
const UNKNOWN_OFFSET = 2 ** 63;

/** {tasks, members, processes, holdings}; a holding is {task, role, member, process, state, progress}.
 * tasks: [{id, subtopology, partition}] in order. state: held, going (to be given up), coming (target, not yet
 * held). */
export function model(group) {
  const tasks = new Map();
  const processes = [];
  const numbers = new Map();
  const holdings = [];
  for (const member of group.members) {
    if (!numbers.has(member.process_id)) {
      numbers.set(member.process_id, processes.length);
      processes.push(member.process_id);
    }
    const process = numbers.get(member.process_id);
    for (const [task, role, state] of held(member)) {
      if (!tasks.has(task.id)) tasks.set(task.id, task);
      holdings.push({ task: task.id, role, member: member.member_id, process, state, ...progress(member, task) });
    }
  }
  const order = [...tasks.values()].sort(byTask);
  holdings.sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  return { tasks: order, members: group.members.map((m) => m.member_id), processes, holdings };
}

/** Subtopologies are numbers in Kafka Streams: 2 comes before 10. */
export function byTask(a, b) {
  return a.subtopology.localeCompare(b.subtopology, 'en', { numeric: true }) || a.partition - b.partition;
}

function* held(member) {
  for (const role of ROLES) {
    yield* each(member.assigned[role], role, 'held');
    yield* each(member.to_revoke[role], role, 'going');
    for (const [task, of] of each(member.target[role], role)) {
      const known = [member.assigned, member.to_revoke].some((tasks) =>
        tasks[role][task.subtopology]?.includes(task.partition),
      );
      if (!known) yield [task, of, 'coming'];
    }
  }
}

function* each(tasks, role, state) {
  for (const [subtopology, partitions] of Object.entries(tasks)) {
    for (const partition of partitions)
      yield [{ id: `${subtopology}_${partition}`, subtopology, partition }, role, state];
  }
}

/** How far the member has restored the task: offset, end and lag as it told them, share of 0 to 1; null if unknown. */
function progress(member, task) {
  const offset = member.task_offsets?.[task.subtopology]?.[task.partition] ?? null;
  const told = member.task_end_offsets?.[task.subtopology]?.[task.partition] ?? null;
  const end = told === null || told >= UNKNOWN_OFFSET ? null : told;
  const lag = offset === null || end === null ? null : Math.max(0, end - offset);
  return { offset, end, lag, share: lag === null ? null : end <= 0 ? 1 : Math.min(1, Math.max(0, offset / end)) };
}

/** Rows are members (or processes), columns are tasks. cells: row number -> column number -> holdings. */
export function byOwner(of, rowsAre) {
  const rows = rowsAre === 'process' ? of.processes : of.members;
  const rowOf = new Map(rows.map((id, index) => [id, index]));
  const columnOf = new Map(of.tasks.map((task, index) => [task.id, index]));
  const grid = place(
    of.holdings,
    (one) => rowOf.get(rowsAre === 'process' ? of.processes[one.process] : one.member),
    (one) => columnOf.get(one.task),
  );
  return { rows, columns: of.tasks.map((task) => task.id), grid };
}

/** Rows are subtopologies, columns are partitions: a cell is a task with everybody who holds it. */
export function byPartition(of) {
  const rows = [...new Set(of.tasks.map((task) => task.subtopology))];
  const rowOf = new Map(rows.map((id, index) => [id, index]));
  const place_of = new Map(of.tasks.map((task) => [task.id, task]));
  const columns = of.tasks.reduce((most, task) => Math.max(most, task.partition + 1), 0);
  const grid = place(
    of.holdings,
    (one) => rowOf.get(place_of.get(one.task).subtopology),
    (one) => place_of.get(one.task).partition,
  );
  return { rows, columns: Array.from({ length: columns }, (_, index) => String(index)), grid };
}

function place(holdings, rowOf, columnOf) {
  const grid = new Map();
  for (const one of holdings) {
    const row = rowOf(one);
    if (!grid.has(row)) grid.set(row, new Map());
    const cells = grid.get(row);
    const column = columnOf(one);
    if (cells.has(column)) cells.get(column).push(one);
    else cells.set(column, [one]);
  }
  return grid;
}
