import Type from 'typebox';
import { isJobName, type JobRecord, type RegistrationVector } from '../../jobs/index.ts';
import { defaultVector } from '../../prepare/index.ts';
import type { Form, FormFile } from '../multipart.ts';
import type { FieldError, Problem } from '../problems.ts';
import { problem } from '../problems.ts';
import { formBody, invalidInput, json, route, type Route } from '../route.ts';
import type { HttpAnswer } from '../types.ts';
import { importJsonBody } from './job-import-body.ts';
import { presentJob } from './present.ts';
import { JobDetail } from './schemas.ts';
import type { AreaCServices } from './services.ts';

const Tenths = Type.Optional(Type.Integer({ minimum: -999_999, maximum: 999_999, description: '0.1 mm' }));

const ImportPdfForm = Type.Object({
  file: Type.String({ contentMediaType: 'application/pdf', description: 'A PDF of one page whose stroked paths are the cut, and whose page is the rectangle of the registration marks' }),
  name: Type.Optional(Type.String({ description: 'Job name, at most 25 printable ASCII characters; default: the file name' })),
  barcode_link_info: Type.String({ description: 'The code on the printed sheet: 9 characters of 0-9 and A-Z, the first not G' }),
  command_type: Type.Optional(Type.Enum([0], { description: 'GP-GL' })),
  regmark_fx: Tenths, regmark_fy: Tenths, regmark_rx: Tenths, regmark_ry: Tenths,
}, { additionalProperties: false });

const answers = { 201: { description: 'The registered job', schema: JobDetail, headers: { Location: 'Where the job is' } } } as const;

export function jobImportRoutes({ jobs, jobImport, pictures, maxUploadBytes }: AreaCServices, serverUrl: string): Route[] {
  const created = (job: JobRecord): HttpAnswer => json(201, presentJob(job, jobs), { Location: `${serverUrl}/jobs/${job.id}` });
  return [
    route({
      method: 'POST', path: '/jobs/import-json', access: 'areaC', tag: 'jobs', summary: 'Register a finished command sequence, byte for byte',
      body: importJsonBody(maxUploadBytes), answers,
      problems: ['MALFORMED_JSON', 'INVALID_BODY', 'INVALID_NAME', 'INVALID_BARCODE', 'INVALID_COMMAND_TYPE', 'INVALID_COMMAND_SEQUENCE', 'INVALID_REGISTRATION_MARK'],
      async handle(_request, { body: { fields, commandSequence } }) {
        const { name, barcode_link_info: linkInfo, command_type: commandType = 0 } = fields;
        const { fx, fy, rx, ry } = defaultVector;
        const { regmark_fx = fx, regmark_fy = fy, regmark_rx = rx, regmark_ry = ry } = fields;
        const vector = { fx: regmark_fx, fy: regmark_fy, rx: regmark_rx, ry: regmark_ry };
        return created(await jobImport.importSequence({ name, linkInfo, commandType, vector, commandSequence }));
      },
    }),
    route({
      method: 'POST', path: '/jobs/import-pdf', access: 'areaC', tag: 'jobs', summary: 'Turn a PDF whose strokes are the cut into a job',
      body: formBody(ImportPdfForm, { capBytes: maxUploadBytes }), answers,
      problems: [
        'MALFORMED_MULTIPART', 'MISSING_FILE', 'INVALID_BODY', 'INVALID_NAME', 'INVALID_BARCODE', 'INVALID_COMMAND_TYPE', 'INVALID_REGISTRATION_MARK',
        'NO_CUT_PATHS', 'CUT_OUTSIDE_MARKS', 'NOT_A_PDF', 'PDF_ENCRYPTED', 'PDF_UNREADABLE', 'PDF_TOO_COMPLEX', 'UNSUPPORTED_CUT_CONTENT', 'MULTIPLE_PAGES',
      ],
      async handle(_request, { body }) {
        const form = readForm(body);
        if ('problem' in form) return form;
        const { file, ...rest } = form;
        const result = await jobImport.importPdf({ pdf: file.bytes, fileName: file.fileName, ...rest });
        if (result.ok) return created(result.job);
        const { failure } = result;
        const { code, detail } = failure;
        // A job that does not survive its round trip is our mistake, not the file's.
        if (code === 'ROUND_TRIP_FAILED') throw new Error(detail);
        return problem(code, detail, { preview: await pictures.keepRefusal({ pdf: file.bytes, fileName: file.fileName, failure }) });
      },
    }),
  ];
}

interface ReadForm {
  readonly file: FormFile;
  readonly name: string | undefined;
  readonly linkInfo: string;
  readonly vector: RegistrationVector;
}

const vectorFields = ['regmark_fx', 'regmark_fy', 'regmark_rx', 'regmark_ry'] as const;
const knownFields: ReadonlySet<string> = new Set(['name', 'barcode_link_info', 'command_type', ...vectorFields]);

/** Every problem of the fields at once; a missing file has its own code. */
function readForm({ fields, files }: Form): ReadForm | { readonly problem: Problem } {
  const file = files.get('file');
  if (file === undefined || file.bytes.byteLength === 0) return problem('MISSING_FILE', 'The form needs a file field named "file" with the cut PDF in it.');
  const name = fields.get('name');
  const linkInfo = fields.get('barcode_link_info') ?? '';
  const numbers = new Map(vectorFields.map((field) => [field, readTenths(fields.get(field))] as const));
  const errors: FieldError[] = [
    ...(name === undefined || isJobName(name) ? [] : [{ pointer: '/name', code: 'INVALID_NAME', detail: 'must be 1 to 25 printable ASCII characters, not only blanks' }]),
    ...(isLinkInfo(linkInfo) ? [] : [{ pointer: '/barcode_link_info', code: 'INVALID_BARCODE', detail: 'must be exactly 9 characters of 0-9 and A-Z, the first not G' }]),
    ...((fields.get('command_type') ?? '0') === '0' ? [] : [{ pointer: '/command_type', code: 'INVALID_COMMAND_TYPE', detail: 'must be 0: a PDF becomes GP-GL' }]),
    ...[...numbers].flatMap(([field, value]) => (value === null ? [{ pointer: `/${field}`, code: 'INVALID_REGISTRATION_MARK', detail: 'must be a whole number of 0.1 mm from -999999 to 999999' }] : [])),
    ...[...fields.keys(), ...[...files.keys()].filter((field) => field !== 'file')].filter((field) => !knownFields.has(field))
      .map((field) => ({ pointer: `/${field}`, code: 'UNKNOWN_FIELD', detail: `${JSON.stringify(field.slice(0, 60))} is not a known field` })),
  ];
  if (errors.length > 0) return { problem: invalidInput('INVALID_BODY', errors) };
  const tenths = (field: (typeof vectorFields)[number], fallback: number): number => numbers.get(field) ?? fallback;
  const { fx, fy, rx, ry } = defaultVector;
  const vector = { fx: tenths('regmark_fx', fx), fy: tenths('regmark_fy', fy), rx: tenths('regmark_rx', rx), ry: tenths('regmark_ry', ry) };
  return { file, name, linkInfo, vector };
}

function isLinkInfo(text: string): boolean {
  return /^[0-9A-FH-Z][0-9A-Z]{8}$/.test(text);
}

/** Undefined: not given. Null: not a number of the Data Link. */
function readTenths(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  return /^-?\d{1,6}$/.test(text) ? Number(text) + 0 : null;
}
