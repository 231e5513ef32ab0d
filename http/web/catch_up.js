// Copies that restore: how far behind each is, how fast it gets on, and how long it will take at that speed. The speed
// is seen by comparing what members tell from time to time.
import { duration, h, name, number, table } from './dom.js';

const SHOWN = 100;
const INTERVALS_STILL = 3;
const OFFSET_INTERVAL = 'streams.task.offset.interval.ms';
const OFFSET_INTERVAL_MS = 60_000;

/** What has been seen of each copy of a group: update it with each model, then ask. */
export class CatchUp {
  constructor(now = () => performance.now()) {
    this.now = now;
    this.seen = new Map();
  }

  /** The copies that have something left to restore, the furthest behind first, each with its speed (a second) and
   * still_ms, since when nothing was restored. */
  update(holdings) {
    const now = this.now();
    const next = new Map();
    const behind = holdings.filter((one) => one.role !== 'active' && one.lag > 0).sort((a, b) => b.lag - a.lag);
    const out = behind.map((one) => {
      const key = `${one.task} ${one.member}`;
      const before = this.seen.get(key) ?? { offset: one.offset, at: now, speed: null };
      const moved = one.offset - before.offset;
      const seen =
        moved === 0 ? before : { offset: one.offset, at: now, speed: (moved * 1000) / Math.max(1, now - before.at) };
      next.set(key, seen);
      return { ...one, speed: seen.speed, still_ms: now - seen.at };
    });
    this.seen = next;
    return out;
  }
}

export function catchUpTable(of, catchUp, config) {
  const behind = catchUp.update(of.holdings);
  const interval = Number(config?.find((one) => one.name === OFFSET_INTERVAL)?.value ?? OFFSET_INTERVAL_MS);
  return [
    table(
      'Copies that catch up',
      ['Task', 'Role', 'Member', 'Process', 'Progress', 'Behind', 'Records a second', 'Time left'],
      behind.slice(0, SHOWN).map((one) => row(one, of, interval)),
      'No copy has told that it is behind.',
    ),
    behind.length > SHOWN ? h('p', {}, `and ${number(behind.length - SHOWN)} more`) : null,
  ];
}

function row(one, of, interval) {
  const still = one.still_ms > INTERVALS_STILL * interval;
  return [
    one.task,
    one.role,
    name(one.member),
    name(of.processes[one.process]),
    h('progress', { max: 1, value: one.share, 'aria-label': `Progress of ${one.task}` }),
    number(one.lag),
    one.speed === null ? 'not known yet' : number(Math.round(one.speed)),
    still
      ? h('span', { class: 'behind' }, `stuck: nothing for ${duration(one.still_ms)}`)
      : one.speed > 0
        ? duration((one.lag / one.speed) * 1000)
        : '-',
  ];
}
