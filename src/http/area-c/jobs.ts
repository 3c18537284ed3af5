import { setImmediate } from 'node:timers/promises';
import Type, { type Static } from 'typebox';
import { problem } from '../problems.ts';
import { json, route, type Route } from '../route.ts';
import type { HttpAnswer } from '../types.ts';
import { presentJob, presentSummary } from './present.ts';
import { JobDetail, JobSummary } from './schemas.ts';
import type { AreaCServices } from './services.ts';

const sliceLength = 100;
const params = Type.Object({ id: Type.String() });

function jobNotFound(id: string): HttpAnswer {
  return problem('JOB_NOT_FOUND', `There is no job ${JSON.stringify(id.slice(0, 80))}.`);
}

export function jobRoutes({ jobs }: AreaCServices): Route[] {
  return [
    route({
      method: 'GET', path: '/jobs', access: 'areaC', tag: 'jobs', summary: 'Jobs, newest first',
      query: Type.Object({
        barcode_link_info: Type.Optional(Type.String({ description: 'Only jobs of this code' })),
        limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
        cursor: Type.Optional(Type.String({ description: 'From the Link header of the page before' })),
      }),
      answers: { 200: { description: 'Job summaries', schema: Type.Array(JobSummary), headers: { Link: 'The next page, rel="next"' } } },
      problems: ['INVALID_PARAMETER'],
      async handle(_request, { query }) {
        const before = query.cursor === undefined ? undefined : readCursor(query.cursor);
        if (before === null) return problem('INVALID_PARAMETER', 'The cursor is not one of this list.');
        const summaries: Static<typeof JobSummary>[] = [];
        let seq = before;
        // In slices: a thousand jobs at once would hold up the polls for 50 ms.
        while (summaries.length < query.limit) {
          const wanted = Math.min(sliceLength, query.limit - summaries.length);
          const slice = jobs.list({ linkInfo: query.barcode_link_info, before: seq, limit: wanted });
          summaries.push(...slice.map((job) => presentSummary(job, jobs)));
          seq = slice.at(-1)?.seq;
          if (slice.length < wanted || seq === undefined) return json(200, summaries);
          await setImmediate();
        }
        if (seq === undefined) return json(200, summaries);
        const filter = query.barcode_link_info === undefined ? {} : { barcode_link_info: query.barcode_link_info };
        const next = new URLSearchParams({ ...filter, limit: String(query.limit), cursor: writeCursor(seq) });
        return json(200, summaries, { Link: `</jobs?${next.toString()}>; rel="next"` });
      },
    }),
    route({
      method: 'GET', path: '/jobs/:id', access: 'areaC', tag: 'jobs', summary: 'One job',
      params, notFound: 'JOB_NOT_FOUND',
      answers: { 200: { description: 'The job', schema: JobDetail } },
      problems: ['JOB_NOT_FOUND'],
      handle(_request, { params: { id } }) {
        const job = jobs.get(id);
        return job === undefined ? jobNotFound(id) : json(200, presentJob(job, jobs));
      },
    }),
    route({
      method: 'DELETE', path: '/jobs/:id', access: 'areaC', tag: 'jobs', summary: 'Remove a job; from the moment of the answer no cutter is offered it',
      params, notFound: 'JOB_NOT_FOUND',
      answers: { 204: { description: 'It is removed' } },
      problems: ['JOB_NOT_FOUND'],
      async handle(_request, { params: { id } }) {
        return (await jobs.remove(id)) ? { status: 204 } : jobNotFound(id);
      },
    }),
    route({
      method: 'GET', path: '/jobs/:id/gpgl', access: 'areaC', tag: 'jobs', summary: 'The command sequence, byte for byte',
      params, notFound: 'JOB_NOT_FOUND',
      answers: { 200: { description: 'As the cutter receives it', mediaType: 'application/octet-stream' } },
      problems: ['JOB_NOT_FOUND'],
      handle(_request, { params: { id } }) {
        const sequence = jobs.commandSequence(id);
        if (sequence === undefined) return jobNotFound(id);
        return { status: 200, headers: { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-store' }, body: sequence };
      },
    }),
  ];
}

const cursorMark = 'seq:';

function writeCursor(seq: number): string {
  return Buffer.from(`${cursorMark}${seq}`, 'utf8').toString('base64url');
}

function readCursor(cursor: string): number | null {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const digits = text.startsWith(cursorMark) ? text.slice(cursorMark.length) : '';
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}
