// Talking to Weir: questions, problem documents, what this Weir offers, and hearing of changes.

const POLL_MS = 2_000;
const POLL_WITH_EVENTS_MS = 10_000;

/** An answer that is not 2xx; `status` 0: no answer at all. */
export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** What to say of an error: the server's words, and for want of a token where to give one. */
export function explain(error) {
  if (!(error instanceof Problem)) return `this page has a fault: ${error.message}`;
  return error.status === 401 ? `${error.message} - see the button "Token" above` : error.message;
}

export function token() {
  return sessionStorage.getItem('weir-token') ?? '';
}

export function setToken(text) {
  if (text) sessionStorage.setItem('weir-token', text);
  else sessionStorage.removeItem('weir-token');
  refuse('');
}

let refusal = '';
/** Why this Weir takes no changes at all, once it has said so; otherwise empty. Whoever shows it hears of a change by
 * the event `changesrefused` of the window. */
export function changesRefused() {
  return refusal;
}

function refuse(why) {
  if (why === refusal) return;
  refusal = why;
  window.dispatchEvent(new Event('changesrefused'));
}

function headers(body) {
  const out = {};
  if (body !== undefined) out['Content-Type'] = 'application/json';
  if (token()) out.Authorization = `Bearer ${token()}`;
  return out;
}

/** A browser takes these for folders, also percent-encoded, and would ask for something else. */
const DOTS = ['.', '..'];

async function ask(path, options = {}) {
  const dots = path
    .split('?')[0]
    .split('/')
    .find((segment) => DOTS.includes(segment));
  if (dots)
    throw new Problem(400, `a browser cannot ask for what is called '${dots}': use weir groups on the command line`);
  try {
    return await fetch(path, { ...options, headers: { ...headers(options.body), ...options.headers } });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, 'Weir does not answer');
  }
}

async function document_of(answer) {
  if (answer.status === 204) return null;
  const text = await answer.text();
  let body = null;
  try {
    body = JSON.parse(text);
  } catch {
    if (answer.ok) throw new Problem(answer.status, 'the answer is no JSON');
  }
  if (!answer.ok) throw new Problem(answer.status, body?.detail ?? `HTTP ${answer.status}`);
  return body;
}

export async function get(path, signal) {
  return document_of(await ask(path, { signal }));
}

/** The document together with the tag that names it, for a change on condition that it is still the same. */
export async function tagged(path, signal) {
  const answer = await ask(path, { signal });
  return { document_: await document_of(answer), etag: answer.headers.get('ETag') };
}

/** A request that changes something, or says what that would do. more: {body, headers, signal}. */
export async function send(method, path, { body, headers, signal } = {}) {
  const said = body === undefined ? undefined : JSON.stringify(body);
  try {
    return await document_of(await ask(path, { method, body: said, headers, signal }));
  } catch (error) {
    if (error.status === 403) refuse(error.message);
    throw error;
  }
}

export async function text(path, signal) {
  const answer = await ask(path, { signal });
  if (!answer.ok) throw new Problem(answer.status, `HTTP ${answer.status}`);
  return answer.text();
}

export function groupPath(id, rest = '') {
  return `v1/groups/${encodeURIComponent(id)}${rest}`;
}

let described;
/** Whether this Weir has a resource: the paths are read once from its own description. */
export async function offers(path) {
  described ??= text('openapi.yaml').then((yaml) => new Set([...yaml.matchAll(/^ {2}(\/\S*):/gm)].map((m) => m[1])));
  try {
    return (await described).has(path);
  } catch {
    described = undefined;
    return false;
  }
}

/**
 * Calls `look` now and whenever the group may have changed: at each server-sent event, and after a pause that is longer
 * while events come. One look at a time. Returns {end, now}: what ends it, and what has it look at once.
 */
export function follow(group, look) {
  const stop = new AbortController();
  let timer = 0;
  let pause = POLL_MS;
  let running = false;
  let again = false;
  const turn = async () => {
    if (stop.signal.aborted) return;
    if (running || document.hidden) {
      again = true;
      return;
    }
    running = true;
    clearTimeout(timer);
    const began = performance.now();
    try {
      await look(stop.signal);
    } finally {
      running = false;
    }
    // A group of thousands of members is not asked for all of them all the time.
    timer = setTimeout(turn, again ? 0 : Math.max(pause, 10 * (performance.now() - began)));
    again = false;
  };
  const seen = () => !document.hidden && turn();
  document.addEventListener('visibilitychange', seen);
  stop.signal.addEventListener('abort', () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', seen);
  });
  turn();
  listen(group, stop.signal, turn, (connected) => {
    pause = connected ? POLL_WITH_EVENTS_MS : POLL_MS;
  });
  return { end: () => stop.abort(), now: turn };
}

/** Server-sent events of one group, read as a stream: their names are the causes, of which there may be new ones. */
async function listen(group, signal, heard, connected) {
  if (!(await offers('/v1/events'))) return;
  let last = '';
  while (!signal.aborted) {
    try {
      const resume = last ? { 'Last-Event-ID': last } : {};
      const answer = await ask(`v1/events?group=${encodeURIComponent(group)}`, { signal, headers: resume });
      if (answer.status === 404) return;
      if (!answer.ok) throw new Problem(answer.status, 'no events');
      connected(true);
      last = await readEvents(answer.body.getReader(), last, heard);
    } catch {
      // Ended by us, or broken off: asked again after the pause, and polled until then.
    }
    connected(false);
    if (!signal.aborted)
      await new Promise((done) => {
        setTimeout(done, POLL_MS);
      });
  }
}

async function readEvents(reader, last, heard) {
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return last;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith('id:')) last = line.slice(3).trim();
      if (line.startsWith('data:')) heard();
    }
  }
}
