/**
 * The hand-over of a chosen job: vector, command type, bytes. The effect behind `handOver` of the cutter's machine.
 *
 * Guarantee: it runs at most once for a hand-off (class `manual`), and only after the record `sending` is on disk.
 * What it reports is what is known: `rejected` when no byte of the job was offered, `interrupted` when some were and
 * the link ended, `unknown_outcome` when nobody can say.
 */
import Type from 'typebox';
import { Vector, type HandOverInput, type HandOverOutput } from '../../machines/index.ts';
import type { CommandType, StreamFailure } from '../datalink/index.ts';
import { defineEffect, type Effect } from '../runtime/index.ts';
import type { CutterLink, CutterLinks } from './links.ts';

const Input = Type.Object({
  cutter: Type.String(),
  hand_off_id: Type.String(),
  job_id: Type.String(),
  command_type: Type.Integer(),
  vector: Vector,
});

export interface HandOverOptions {
  readonly links: CutterLinks;
  readonly readCommandSequence: (jobId: string) => Uint8Array | undefined;
  readonly now: () => number;
}

export function handOverEffect({ links, readCommandSequence, now }: HandOverOptions): Effect {
  return defineEffect('manual', Input, async (input, { signal }) => {
    const link = links.get(input.cutter);
    const sequence = readCommandSequence(input.job_id);
    const result = (report: Report): HandOverOutput => ({ bytes_sent: null, ...report, at: now() });
    if (link === undefined) return result({ outcome: 'rejected', code: 'CUTTER_NOT_FOUND', detail: `There is no cutter ${input.cutter} any more.` });
    if (sequence === undefined) return result({ outcome: 'rejected', code: 'JOB_REMOVED', detail: 'The job was removed before it could be sent.' });
    try {
      return result((await announce(link, input)) ?? (await stream(link, sequence, signal)));
    } finally {
      link.progress = null;
    }
  });
}

type Report = Pick<HandOverOutput, 'outcome' | 'code' | 'detail'> & Partial<Pick<HandOverOutput, 'bytes_sent'>>;

/** Vector and command type, each once. Null: the cutter took both. */
async function announce({ session }: CutterLink, { vector, command_type }: HandOverInput): Promise<Report | null> {
  const placed = await session.setVector(vector);
  if (!placed.ok) return { outcome: 'rejected', code: placed.failure.code, detail: `The cutter did not take the registration vector: ${placed.failure.detail}` };
  const typed = await session.setCommandType(commandType(command_type));
  if (!typed.ok) return { outcome: 'rejected', code: typed.failure.code, detail: `The cutter did not take the command type: ${typed.failure.detail}` };
  return null;
}

async function stream(link: CutterLink, sequence: Uint8Array, signal: AbortSignal): Promise<Report> {
  link.progress = { takenBytes: 0, totalBytes: sequence.byteLength };
  const sent = await link.session.sendJob(sequence, {
    signal,
    onProgress: (takenBytes, totalBytes) => {
      link.progress = { takenBytes, totalBytes };
    },
  });
  if (sent.ok) return { outcome: 'sent', code: 'SENT', detail: '', bytes_sent: sent.bytes };
  return reportOf(sent.failure);
}

function reportOf(failure: StreamFailure): Report {
  const { code, detail } = failure;
  switch (code) {
    case 'STREAM_INTERRUPTED': return { outcome: 'interrupted', code, detail, bytes_sent: failure.offeredBytes };
    case 'STREAM_OUTCOME_UNKNOWN': return { outcome: 'unknown_outcome', code, detail, bytes_sent: failure.offeredBytes };
    default: return { outcome: 'rejected', code, detail };
  }
}

function commandType(value: number): CommandType {
  return value === 1 ? 1 : 0;
}
