import Type from 'typebox';
import { PreflightReportSchema, type PictureLinks, type PrintPreparationRefusal, type PrintPreparationResult } from '../../prepare/index.ts';
import { problem } from '../problems.ts';
import { formBody, json, route, type Route } from '../route.ts';
import type { HttpAnswer } from '../types.ts';
import { choiceFields, PrepareForm, readPrintForm } from './print-form.ts';
import type { AreaCServices } from './services.ts';

const PrepareQuery = Type.Object({
  dry_run: Type.Optional(Type.Boolean({ description: 'true: answers with the preflight report and changes nothing; a file that would be refused is described too, where its page can be read' })),
});

export function printRoutes({ printPreparation, pictures, maxUploadBytes }: AreaCServices): Route[] {
  return [
    route({
      method: 'POST', path: '/print/prepare', access: 'areaC', tag: 'print', summary: 'Turn a print PDF into a marked PDF and a cut job',
      query: PrepareQuery,
      body: formBody(PrepareForm, { capBytes: maxUploadBytes }),
      answers: {
        200: {
          description: 'The marked print PDF; its job is registered. With dry_run the preflight report as JSON, without these headers', mediaType: 'application/pdf',
          alternatives: { 'application/json': PreflightReportSchema },
          headers: {
            'X-Job-Id': 'Id of the registered cut job', 'X-Barcode': 'The 9 characters of the barcode',
            'X-Cut-Source': 'processing-steps, spot-color or mixed', 'X-Cut-Segments': 'Number of cut segments', 'X-Warnings': 'Codes, separated by commas',
          },
        },
      },
      problems: [
        'MISSING_FILE', 'INVALID_PARAMETER', 'INVALID_NAME', 'INVALID_BARCODE', 'NO_CUT_PATHS', 'ARTWORK_IN_KEEP_CLEAR_ZONE', 'CUT_OUTSIDE_MARKS', 'PAGE_TOO_SMALL',
        'NOT_A_PDF', 'PDF_ENCRYPTED', 'PDF_UNREADABLE', 'PDF_TOO_COMPLEX', 'UNSUPPORTED_CUT_CONTENT', 'MULTIPLE_PAGES',
      ],
      async handle(request, { query, body }) {
        // Elsewhere an unknown parameter is ignored; here a misspelt dry_run would register a job.
        const stray = [...request.query.keys()].find((name) => !Object.hasOwn(PrepareQuery.properties, name));
        if (stray !== undefined) return problem('INVALID_PARAMETER', `The query has a parameter ${JSON.stringify(stray.slice(0, 80))} that this endpoint does not know; it knows dry_run.`);
        const form = readPrintForm(body);
        if ('problem' in form) return form;
        if (query.dry_run === true) {
          const inspected = await printPreparation.inspect(form);
          return inspected.ok ? json(200, inspected.report) : refusal(inspected.failure, null);
        }
        const result = await printPreparation.prepare(form);
        if (result.ok) return answer(result, form.fileName);
        return refusal(result.failure, await pictures.keepRefusal({ ...form, failure: result.failure }));
      },
    }),
  ];
}

function answer({ job, sheet }: Extract<PrintPreparationResult, { ok: true }>, fileName: string): HttpAnswer {
  const codes = [...new Set(sheet.warnings.map((warning) => warning.code))];
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/pdf',
      'Content-Disposition': `attachment; filename="${asciiStem(fileName)}_${job.barcode_link_info}.pdf"`,
      'Cache-Control': 'no-store',
      'X-Job-Id': job.id,
      'X-Barcode': job.barcode_link_info,
      'X-Cut-Source': sheet.cutSource,
      'X-Cut-Segments': String(sheet.segmentCount),
      ...(codes.length === 0 ? {} : { 'X-Warnings': codes.join(', ') }),
    },
    body: sheet.markedPdf,
  };
}

function refusal(failure: PrintPreparationRefusal, preview: PictureLinks | null): HttpAnswer {
  // A job that does not survive its round trip is our mistake, not the file's.
  if (failure.code === 'ROUND_TRIP_FAILED') throw new Error(failure.detail);
  if ('unknownMaterial' in failure) return problem(failure.code, failure.detail, { errors: [{ pointer: '/material', code: 'NOT_ALLOWED', detail: failure.detail }] });
  const errors = 'choice' in failure ? [{ pointer: `/${choiceFields[failure.choice]}`, code: 'OUT_OF_RANGE', detail: failure.detail }] : [];
  return problem(failure.code, failure.detail, { errors, preview });
}

function asciiStem(fileName: string): string {
  const stem = (fileName.split(/[\\/]/).at(-1) ?? '').replace(/\.pdf$/i, '').replace(/[^A-Za-z0-9._ -]+/g, '_').slice(0, 100);
  return stem === '' ? 'sheet' : stem;
}
