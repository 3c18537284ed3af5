/**
 * Pictures of jobs and of refused pages, for people to look at. They are drawn in the worker when they are asked for, and kept nowhere.
 *
 * Guarantee: where there is a job or a kept refusal, there is a picture; what could not be drawn is said in it. Hole: while the
 * worker has too much to do, or the service stops, there is none for the moment (UNAVAILABLE).
 */
import { createHash } from 'node:crypto';
import { stepSizes, type StepsPerMm } from '../../gpgl/index.ts';
import type { JobLibrary, JobRecord } from '../../jobs/index.ts';
import type { Preparer } from '../preparer.ts';
import type { PrepareRefusal } from '../types.ts';
import { groundOfPage, groundOfSheet, type Ground } from './ground.ts';
import type { KeptRefusal, RefusalShelf } from './refusal-shelf.ts';
import type { RefusedPage } from './sheet-record.ts';
import type { PictureFormat, PictureInput, PictureResult } from './types.ts';

export interface RefusedFile {
  readonly pdf: Uint8Array;
  readonly fileName: string;
  readonly failure: { readonly code: string } & Omit<PrepareRefusal, 'code'>;
}

/** Where a picture of a refusal is, in either format. */
export interface PictureLinks {
  readonly svg: string;
  readonly png: string;
}

export interface Pictures {
  ofJob(job: JobRecord, format: PictureFormat): Promise<PictureResult>;
  /** Changes when the picture of this job would. */
  tagOfJob(job: JobRecord): string;
  /** A picture that can be had for an hour; null where the refusal is not about the file, or could not be kept. */
  keepRefusal(refused: RefusedFile): Promise<PictureLinks | null>;
  /** Null: there is none, or no longer. */
  ofRefusal(id: string, format: PictureFormat): Promise<PictureResult | null>;
}

export interface PicturesOptions {
  readonly preparer: Pick<Preparer, 'draw'>;
  readonly jobs: Pick<JobLibrary, 'commandSequence' | 'sheet'>;
  readonly shelf: Pick<RefusalShelf, 'keep' | 'find'>;
  /** Of command sequences whose own step size is not known. */
  readonly stepsPerMm: StepsPerMm;
  readonly cutSpotColors: readonly string[];
  /** Before the paths of links; empty where nobody knows under which address the service is reached. */
  readonly baseUrl: string;
}

const nothing = new Uint8Array(0);

/** Goes up when the same job is drawn differently. */
const drawingVersion = 2;

/** Refusals about the file, though nothing may be known of its page. */
const aboutFile: ReadonlySet<string> = new Set(['NOT_A_PDF', 'PDF_ENCRYPTED', 'PDF_UNREADABLE', 'PDF_TOO_COMPLEX', 'MULTIPLE_PAGES', 'PDF_UNFINISHED']);

/** pdf.js would not come to an end with the file either, or knows nothing to draw. */
const undrawable: ReadonlySet<string> = new Set(['NOT_A_PDF', 'PDF_ENCRYPTED', 'PDF_TOO_COMPLEX']);

export function createPictures({ preparer, jobs, shelf, stepsPerMm, cutSpotColors, baseUrl }: PicturesOptions): Pictures {
  return {
    ofJob(job, format) {
      const sheet = jobs.sheet(job.id);
      const notes = sheet?.markedPdf === null ? ['The marked PDF was too large to be kept, so the printed page is not shown.'] : [];
      return draw(preparer, {
        format, title: `${job.name}, barcode ${job.barcode_link_info}`, notes, offenders: [],
        ground: sheet === undefined ? null : groundOfSheet(sheet.layout), copiesMm: null,
        pdf: sheet?.markedPdf ?? nothing,
        commandSequence: jobs.commandSequence(job.id) ?? nothing,
        cuts: { kind: 'sequence', commandType: job.command_type, stepsPerMm: stepsOf(job) ?? stepsPerMm },
      });
    },
    tagOfJob: (job) => createHash('sha256').update(`${drawingVersion} ${job.id} ${job.command_sha256} ${stepsPerMm}`).digest('hex').slice(0, 32),
    async keepRefusal({ pdf, fileName, failure: { code, detail, offenders = [], page = null } }) {
      if (page === null && !aboutFile.has(code)) return null;
      const id = await shelf.keep({ page, file_name: fileName, code, detail, cut_spot_colors: cutSpotColors, offenders }, undrawable.has(code) ? nothing : pdf);
      return id === null ? null : { svg: `${baseUrl}/previews/${id}.svg`, png: `${baseUrl}/previews/${id}.png` };
    },
    async ofRefusal(id, format) {
      const kept = await shelf.find(id);
      return kept === null ? null : draw(preparer, refusalPicture(kept, format));
    },
  };
}

function refusalPicture({ record, pdf }: KeptRefusal, format: PictureFormat): PictureInput {
  const { file_name: fileName, code, detail, offenders, cut_spot_colors: cutSpotColors, page } = record;
  return {
    format, title: `${fileName}: ${code}`, offenders,
    notes: [detail, ...(pdf.length === 0 ? ['The page itself is not shown.'] : code === 'MULTIPLE_PAGES' ? ['The first page is shown.'] : [])],
    ground: page === null ? null : groundOfRefused(page),
    copiesMm: page === null ? null : { page: page.page_mm, at: page.sheet === null ? [[0, 0]] : page.copies_mm },
    pdf, commandSequence: nothing, cuts: { kind: 'page', cutSpotColors, cutPaths: page?.cut_paths ?? 'marked' },
  };
}

function groundOfRefused({ sheet, page_mm: [widthMm, heightMm] }: RefusedPage): Ground {
  return sheet === null ? groundOfPage({ widthMm, heightMm }) : groundOfSheet(sheet);
}

function stepsOf({ geometry }: JobRecord): StepsPerMm | undefined {
  return stepSizes.find((steps) => steps === geometry?.steps_per_mm);
}

/** A page that pdf.js does not come to an end with, or that takes the worker down, must not hide what will be cut. */
async function draw(preparer: Pick<Preparer, 'draw'>, input: PictureInput): Promise<PictureResult> {
  const result = await preparer.draw(input);
  if (result.ok || result.failure.code === 'UNAVAILABLE' || input.pdf.length === 0) return result;
  const notes = [...input.notes, `The printed page could not be drawn: ${result.failure.detail}`];
  return preparer.draw({ ...input, pdf: nothing, notes });
}
