/** GET /dls/events/stream: the journal as server-sent events (WHATWG HTML, section 9.2), from the moment of asking or from where the client was. */
import Type from 'typebox';
import type { Fleet } from '../../cutters/index.ts';
import type { Clock, JournalEntry, Runtime } from '../../runtime/index.ts';
import { route, type Route } from '../route.ts';
import type { StreamAnswer, StreamWriter } from '../types.ts';
import { cutterNotFound } from './data-link.ts';
import { presentEntry } from './present.ts';

/** So that a client, and whatever stands between, can tell a quiet feed from a dead one. */
const heartbeatMs = 10_000;
/** What a client that comes back is told of what it missed; of more, it is told that there is more. */
const missedAtMost = 1000;

export interface EventSource {
  readonly runtime: Pick<Runtime, 'journal' | 'subscribe'>;
  readonly clock: Clock;
  readonly fleet: Pick<Fleet, 'state'>;
}

export function eventStreamRoutes(source: EventSource): Route[] {
  return [
    route({
      method: 'GET', path: '/dls/events/stream', access: 'areaC', tag: 'cutters', summary: 'What happens, as it happens (server-sent events)',
      query: Type.Object({ cutter: Type.Optional(Type.String({ description: 'Name of one cutter; without it, all there is to tell' })) }),
      answers: {
        200: {
          description: 'Each event has the position of its entry as `id` and an entry of /dls/events as `data`. The header Last-Event-ID brings what was missed since; '
            + 'when that is more than the newest 1000, an event named `gap` comes first. A comment every 10 s keeps the connection alive.',
          mediaType: 'text/event-stream',
        },
      },
      problems: ['CUTTER_NOT_FOUND'],
      handle(request, { query: { cutter } }) {
        if (cutter !== undefined && source.fleet.state(cutter) === undefined) return cutterNotFound(cutter);
        return stream(source, cutter === undefined ? null : `cutter/${cutter}`, readPosition(request.headers.get('last-event-id')));
      },
    }),
  ];
}

function readPosition(lastEventId: string | undefined): number | null {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
}

function stream({ runtime, clock }: EventSource, subject: string | null, after: number | null): StreamAnswer {
  return {
    status: 200,
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
    opening: 'retry: 2000\n\n',
    stream(writer) {
      let told = after ?? 0;
      const tell = (entries: readonly JournalEntry[]): void => {
        const fresh = entries.filter((entry) => entry.seq > told);
        told = fresh.at(-1)?.seq ?? told;
        const wanted = subject === null ? fresh : fresh.filter((entry) => entry.subject === subject);
        if (wanted.length > 0) writer.write(wanted.map(frame).join(''));
      };
      const unsubscribe = runtime.subscribe(tell);
      if (after !== null) {
        const newest = runtime.journal({ ...(subject === null ? {} : { subject }), limit: missedAtMost });
        // Positions of one subject have holes of their own; only a full page that begins later tells of a gap.
        if (newest.length === missedAtMost && (newest[0]?.seq ?? 0) > after + 1) writer.write('event: gap\ndata: {}\n\n');
        tell(newest);
      }
      const silence = heartbeat(writer, clock);
      return () => {
        unsubscribe();
        silence();
      };
    },
  };
}

function frame(entry: JournalEntry): string {
  return `id: ${entry.seq}\ndata: ${JSON.stringify(presentEntry(entry))}\n\n`;
}

/** Answers its end. */
function heartbeat(writer: StreamWriter, clock: Clock): () => void {
  let cancel: () => void = () => undefined;
  const beat = (): void => {
    writer.write(':\n\n');
    cancel = clock.after(heartbeatMs, beat);
  };
  cancel = clock.after(heartbeatMs, beat);
  return () => cancel();
}
