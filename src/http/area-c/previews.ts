import Type from 'typebox';
import type { PictureFormat, PictureResult } from '../../prepare/index.ts';
import { problem } from '../problems.ts';
import { route, type Route } from '../route.ts';
import type { HttpAnswer, HttpRequest } from '../types.ts';
import type { AreaCServices } from './services.ts';

const mediaTypes = { svg: 'image/svg+xml', png: 'image/png' } as const;
const formats: readonly PictureFormat[] = ['svg', 'png'];

/** Opened by itself, an SVG is a document: it may load nothing and run nothing, whatever is in it. */
const contentSecurityPolicy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox";

export function previewRoutes({ jobs, pictures }: AreaCServices): Route[] {
  return [...formats.map((format) => jobPreview(format, { jobs, pictures })), refusalPreview(pictures)];
}

function jobPreview(format: PictureFormat, { jobs, pictures }: Pick<AreaCServices, 'jobs' | 'pictures'>): Route {
  return route({
    method: 'GET', path: `/jobs/:id/preview.${format}`, access: 'areaC', tag: 'jobs',
    summary: `A picture of the sheet as ${format.toUpperCase()}: the print, the cut paths by tool as the cutter is sent them, marks, barcode and keep-clear zones`,
    params: Type.Object({ id: Type.String() }), notFound: 'JOB_NOT_FOUND',
    answers: {
      200: { description: 'The picture', mediaType: mediaTypes[format], headers: { ETag: 'For If-None-Match' } },
      304: { description: 'It is the picture that the client has' },
    },
    problems: ['JOB_NOT_FOUND', 'PDF_TOO_COMPLEX', 'PDF_UNREADABLE'],
    async handle(request, { params: { id } }) {
      const job = jobs.get(id);
      if (job === undefined) return problem('JOB_NOT_FOUND', `There is no job ${JSON.stringify(id.slice(0, 80))}.`);
      // no-cache: kept by the client, but asked for again, so that the picture of a removed job is gone.
      const headers = { ETag: `"${pictures.tagOfJob(job)}-${format}"`, 'Cache-Control': 'private, no-cache' };
      if (hasAlready(request, headers.ETag)) return { status: 304, headers };
      return pictureAnswer(await pictures.ofJob(job, format), headers);
    },
  });
}

function refusalPreview(pictures: AreaCServices['pictures']): Route {
  return route({
    method: 'GET', path: '/previews/:file', access: 'areaC', tag: 'print', summary: 'A picture of a refused page, with what is in the wrong place; for an hour after the refusal',
    params: Type.Object({ file: Type.String({ pattern: '^[0-9a-f-]{36}\\.(svg|png)$', description: 'As the refusal names it' }) }),
    answers: { 200: { description: 'The picture', mediaType: 'image/svg+xml', otherMediaTypes: ['image/png'] } },
    problems: ['NOT_FOUND', 'PDF_TOO_COMPLEX', 'PDF_UNREADABLE'],
    async handle(_request, { params: { file } }) {
      const [id = '', ending] = file.split('.');
      const drawn = await pictures.ofRefusal(id, ending === 'png' ? 'png' : 'svg');
      if (drawn === null) return problem('NOT_FOUND', 'There is no such picture; those of refused files are kept for an hour.');
      return pictureAnswer(drawn, { 'Cache-Control': 'private, no-store' });
    },
  });
}

function hasAlready(request: HttpRequest, tag: string): boolean {
  const known = request.headers.get('if-none-match') ?? '';
  return known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
}

function pictureAnswer(result: PictureResult, headers: Readonly<Record<string, string>>): HttpAnswer {
  if (!result.ok) {
    const { code, detail } = result.failure;
    if (code === 'ROUND_TRIP_FAILED') throw new Error(detail);
    return problem(code, detail);
  }
  const { mediaType, bytes } = result.picture;
  return { status: 200, headers: { ...headers, 'Content-Type': mediaType, 'Content-Security-Policy': contentSecurityPolicy, 'X-Content-Type-Options': 'nosniff' }, body: bytes };
}
