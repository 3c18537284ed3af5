/**
 * The page's program. The feed is read with fetch, because EventSource cannot send the key. An event says only that
 * something changed; what is so now is then asked for, so that nothing shown is pieced together. All text goes into
 * the page as text, never as markup.
 */
export const script = String.raw`
'use strict';
const el = (id) => document.getElementById(id);
const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};
const keyName = 'kerf-key';
const silenceMs = 25000;
let lastSeq = null;
let heardAt = 0;
let feedEndsAt = null;
let abort = null;

const headers = (more) => {
  const key = sessionStorage.getItem(keyName);
  return key === null ? { ...more } : { ...more, 'X-API-Key': key };
};

class KeyNeeded extends Error {}

async function ask(path) {
  const answer = await fetch(path, { headers: headers({ Accept: 'application/json' }), cache: 'no-store' });
  if (answer.status === 401) throw new KeyNeeded();
  if (!answer.ok) throw new Error(path + ' answered ' + answer.status);
  return answer.json();
}

// What one cutter is about: tone, word, reason.
function tell(cutter) {
  const job = cutter.last_hand_off;
  const jobName = job === null ? '' : job.job_name;
  const blocking = cutter.warnings.find((warning) => ['STEP_SIZE_MISMATCH', 'COMMAND_SETTING_HPGL'].includes(warning.code));
  const elsewhere = cutter.warnings.find((warning) => warning.code === 'DRIVEN_BY_OTHER_SERVICE');
  if (elsewhere) return ['off', 'Not ours', elsewhere.message];
  if (!cutter.is_running) return ['off', 'Off', 'Polling is stopped.'];
  if (job !== null && job.state === 'sending') return ['busy', 'Sending', jobName + percent(cutter.progress)];
  const reason = cutter.last_error === null ? '' : cutter.last_error;
  switch (cutter.current_status) {
    case -999: return ['stop', 'No answer', reason];
    case 0:
      if (blocking) return ['wait', 'Not ready', blocking.message];
      if (job !== null && job.state === 'unknown_outcome') return ['wait', 'Check sheet', 'Nobody knows how far ' + jobName + ' was cut. ' + job.detail];
      if (reason !== '') return ['wait', 'Scan again', reason];
      return ['ready', 'Ready', job !== null && job.state === 'finished' ? 'Last: ' + jobName : 'Scan a sheet.'];
    case 1: return ['busy', 'Scanning', 'Reading the barcode.'];
    case 2: return lastKind(cutter) === 'no_match' ? ['wait', 'No job', lastMessage(cutter)] : ['busy', 'Looking up', 'The barcode was read.'];
    case 3: return ['wait', 'Choose', 'Choose the job at the panel.'];
    case 4: return ['busy', 'Starting', jobName];
    case 5: return job !== null && ['sent', 'cutting'].includes(job.state) ? ['busy', 'Cutting', jobName] : ['busy', 'Cutting', reason || 'Not a job of this server.'];
    case 6: return ['wait', 'At panel', 'Somebody is operating the cutter.'];
    case 7: return ['stop', 'Error', reason];
    default: return ['wait', 'Status ' + cutter.current_status, reason];
  }
}

function percent(progress) {
  return progress === null || progress.total_bytes === 0 ? '' : ' · ' + Math.floor(100 * progress.taken_bytes / progress.total_bytes) + ' %';
}
const changes = (cutter) => cutter.recent_events.filter((event) => event.kind !== 'status');
const lastKind = (cutter) => changes(cutter).at(-1)?.kind;
const lastMessage = (cutter) => changes(cutter).at(-1)?.message ?? '';

function cutterCard(cutter) {
  const [tone, word, reason] = tell(cutter);
  const card = make('article', 'cutter ' + tone);
  const title = make('h2', '', cutter.cutter_name);
  title.append(make('span', '', cutter.cutter_model ?? ''));
  card.append(title, make('p', 'word', word), make('p', 'reason', reason));
  if (cutter.progress !== null) {
    const bar = make('progress');
    bar.max = cutter.progress.total_bytes;
    bar.value = cutter.progress.taken_bytes;
    card.append(bar);
  }
  for (const warning of cutter.warnings) if (warning.message !== reason) card.append(make('p', 'warning', warning.message));
  return card;
}

function folderLines(name, worker) {
  const parts = [worker.is_running ? 'Running' : 'Stopped', worker.waiting_count + ' waiting', worker.processed_count + ' done', worker.error_count + ' failed'];
  if (worker.in_progress) parts.push('in hand: ' + worker.in_progress);
  if (worker.last_error) parts.push('last error: ' + worker.last_error);
  return [make('dt', '', name), make('dd', '', parts.join(' · '))];
}

// Asked for with the key, which a plain link would not carry.
function pictureButton(address) {
  const button = make('button', '', 'Picture');
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      const answer = await fetch('/previews/' + address.split('/').at(-1), { headers: headers(), cache: 'no-store' });
      if (!answer.ok) throw new Error(answer.status === 404 ? 'The picture is gone' : 'No picture now');
      const image = el('picture-image');
      URL.revokeObjectURL(image.src);
      image.src = URL.createObjectURL(await answer.blob());
      if (!el('picture').open) el('picture').showModal();
      button.disabled = false;
    } catch (error) {
      button.textContent = error instanceof TypeError ? 'No picture now' : error.message;
    }
  });
  return button;
}

function showEvents(entries) {
  el('events').replaceChildren(...entries.slice(-12).reverse().map((entry) => {
    const line = make('li');
    const time = make('time', '', new Date(entry.time).toLocaleTimeString());
    time.dateTime = entry.time;
    const what = make('span', '', entry.message);
    if (typeof entry.data.preview_png === 'string') what.append(' ', pictureButton(entry.data.preview_png));
    line.append(time, make('span', 'who', entry.cutter ?? ''), what);
    return line;
  }));
}

let isShowing = false;
let isStale = false;
async function show() {
  if (isShowing) { isStale = true; return; }
  isShowing = true;
  try {
    do {
      isStale = false;
      const [cutters, health, entries] = await Promise.all([ask('/dls/status'), ask('/health'), ask('/dls/events?limit=40')]);
      const cards = cutters.map(cutterCard);
      if (cards.length === 0) cards.push(make('p', '', 'No cutter is set up: see the CUTTERS setting.'));
      el('cutters').replaceChildren(...cards);
      el('service').textContent = health.version + ' · ' + health.status;
      el('notes').replaceChildren(...health.warnings.map((warning) => make('li', '', warning.message)));
      el('notes').hidden = health.warnings.length === 0;
      el('folders').replaceChildren(...folderLines('Cut files', health.ingest), ...folderLines('Print files', health.print_prepare));
      showEvents(entries);
      clearTimeout(show.timer);
      show.timer = setTimeout(refresh, cutters.some((cutter) => cutter.progress !== null) ? 1000 : 30000);
    } while (isStale);
  } finally {
    isShowing = false;
  }
}

function refresh() {
  // The feed is begun again, and finds out what is wrong.
  show().catch(() => { if (abort !== null) abort.abort(); });
}

let soon = null;
function refreshSoon() {
  soon ??= setTimeout(() => { soon = null; refresh(); }, 80);
}

function take(line) {
  if (line.startsWith('id:')) lastSeq = line.slice(3).trim();
  else if (line.startsWith('data:')) refreshSoon();
}

async function follow() {
  abort = new AbortController();
  const more = lastSeq === null ? {} : { 'Last-Event-ID': lastSeq };
  const answer = await fetch('/dls/events/stream', { headers: headers({ Accept: 'text/event-stream', ...more }), cache: 'no-store', signal: abort.signal });
  if (answer.status === 401) throw new KeyNeeded();
  if (!answer.ok || answer.body === null) throw new Error('the feed answered ' + answer.status);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  heardAt = Date.now();
  await show();
  live();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heardAt = Date.now();
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    lines.forEach(take);
  }
}

function live() {
  feedEndsAt = null;
  el('overlay').hidden = true;
  el('feed').textContent = 'Live';
}

function lost() {
  feedEndsAt ??= Date.now();
  el('feed').textContent = 'Not live';
  el('overlay-reason').textContent = 'The server has not been heard since ' + new Date(heardAt || feedEndsAt).toLocaleTimeString() + '. Trying again…';
  el('overlay').hidden = false;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function run() {
  for (;;) {
    try {
      await follow();
    } catch (error) {
      if (error instanceof KeyNeeded) {
        needKey(sessionStorage.getItem(keyName) === null ? '' : 'The server does not know this key.');
        return;
      }
    }
    abort.abort();
    lost();
    await pause(2000);
  }
}

function needKey(reason) {
  sessionStorage.removeItem(keyName);
  el('overlay').hidden = true;
  el('key-reason').textContent = reason;
  el('key-form').hidden = false;
  el('key').focus();
}

el('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(keyName, el('key').value);
  el('key').value = '';
  el('key-form').hidden = true;
  run();
});

el('picture').addEventListener('click', () => el('picture').close());

// A connection that died without a word: nothing was heard for longer than the server keeps silent.
setInterval(() => { if (abort !== null && heardAt > 0 && Date.now() - heardAt > silenceMs) abort.abort(); }, 2000);

run();
`;
