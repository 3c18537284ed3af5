/** The little of Kerf's HTTP interface that the demonstration uses. */

export interface Kerf {
  readonly url: string;
  readonly apiKey: string | null;
}

export type PreparedSheet =
  | { readonly ok: true; readonly pdf: Uint8Array; readonly jobId: string; readonly linkInfo: string; readonly cutSource: string; readonly segments: string }
  | { readonly ok: false; readonly detail: string };

const keyHeader = ({ apiKey }: Kerf): Record<string, string> => (apiKey === null ? {} : { 'X-API-Key': apiKey });

export async function prepareSheet(kerf: Kerf, pdf: Uint8Array<ArrayBuffer>, fileName: string): Promise<PreparedSheet> {
  const form = new FormData();
  form.set('file', new Blob([pdf], { type: 'application/pdf' }), fileName);
  const answer = await fetch(`${kerf.url}/print/prepare`, { method: 'POST', headers: keyHeader(kerf), body: form });
  if (!answer.ok) return { ok: false, detail: await answer.text() };
  const header = (name: string): string => answer.headers.get(name) ?? '';
  return {
    ok: true, pdf: new Uint8Array(await answer.arrayBuffer()),
    jobId: header('X-Job-Id'), linkInfo: header('X-Barcode'), cutSource: header('X-Cut-Source'), segments: header('X-Cut-Segments'),
  };
}

interface Entry {
  readonly seq: number;
  readonly time: string;
  readonly kind: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const ends = ['finished', 'interrupted', 'rejected', 'unknown_outcome', 'no_match'];
const askEveryMs = 150;
const patienceMs = 120_000;

/** Shows what happens at one cutter from now on, until a job's end; resolves with the kind of that end. */
export async function followEvents(kerf: Kerf, cutter: string, show: (line: string) => void): Promise<string> {
  let seen = (await readEvents(kerf, cutter)).at(-1)?.seq ?? 0;
  const giveUpAt = Date.now() + patienceMs;
  while (Date.now() < giveUpAt) {
    for (const entry of await readEvents(kerf, cutter)) {
      if (entry.seq <= seen) continue;
      seen = entry.seq;
      show(describe(entry));
      if (ends.includes(entry.kind)) return entry.kind;
    }
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
  return 'timeout';
}

async function readEvents(kerf: Kerf, cutter: string): Promise<Entry[]> {
  const answer = await fetch(`${kerf.url}/dls/events?limit=50&cutter=${cutter}`, { headers: keyHeader(kerf) });
  if (!answer.ok) throw new Error(`GET /dls/events: ${answer.status}`);
  const entries: unknown = await answer.json();
  return Array.isArray(entries) ? entries.filter(isEntry) : [];
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && 'seq' in value && 'kind' in value && 'message' in value && 'time' in value && 'data' in value;
}

function describe({ time, kind, message, data }: Entry): string {
  const code = kind === 'status' && typeof data.code === 'number' ? `${data.code} ` : '';
  const bytes = kind === 'sent' && typeof data.bytes_sent === 'number' ? ` (${data.bytes_sent} bytes)` : '';
  return `   ${time.slice(11, 23)}  ${kind.padEnd(12)} ${code}${message}${bytes}`;
}
