/** A file of the cut folder as a job: a PDF whose strokes are the cut, or a finished command sequence. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Work } from '../../machines/index.ts';
import { ETX, previewCommands } from '../gpgl/index.ts';
import { jobNameFromFile, type JobLibrary, type JobRecord, type NewJob } from '../jobs/index.ts';
import { isPdfName, linkInfoInName } from './names.ts';
import { refused, refusedFile, type ProcessTools, type Refused } from './process-tools.ts';
import { parseSidecar, sidecarLimitBytes, vectorOf, type Sidecar } from './sidecar.ts';

/** Commands that a job's detail shows. */
const previewedCommands = 24;

type CutContent = Pick<NewJob, 'commandSequence' | 'commandPreview' | 'geometry' | 'warnings'>;

export async function cutJob(work: Work, key: string, bytes: Uint8Array, tools: ProcessTools): Promise<JobRecord | Refused> {
  const beside = await readSidecar(work);
  if (beside !== null && 'outcome' in beside) return beside;
  const sidecar = beside ?? {};
  const commandType = sidecar.command_type ?? 0;
  const linkInfo = sidecar.barcode_link_info ?? linkInfoInName(work.file.name);
  const isPdf = isPdfName(work.file.name);
  const wrong = isPdf ? wrongForPdf(commandType) : wrongForSequence(beside, linkInfo, bytes);
  if (wrong !== null) return wrong;
  const content = isPdf ? await contentOfPdf(work.file.name, bytes, tools) : await contentOfSequence(bytes, sidecar, tools);
  if ('outcome' in content) return content;
  return withLinkInfo(tools.jobs, linkInfo, (code) => tools.jobs.register({
    ...code, ...content, key, commandType, source: 'cut-folder', cutSource: null, vector: vectorOf(sidecar),
    name: sidecar.name ?? jobNameFromFile(work.file.name) ?? code.linkInfo,
  }));
}

async function readSidecar({ claim_dir, sidecars }: Work): Promise<Sidecar | Refused | null> {
  const [first] = sidecars;
  if (first === undefined) return null;
  if (first.identity.size > sidecarLimitBytes) return refused('INVALID_SIDECAR', `${first.name} has ${first.identity.size} bytes; a sidecar has at most ${sidecarLimitBytes}.`);
  const parsed = parseSidecar(await readFile(join(claim_dir, first.name)));
  return parsed.ok ? parsed.sidecar : refused('INVALID_SIDECAR', `${first.name} cannot be used: ${parsed.detail}.`);
}

function wrongForPdf(commandType: number): Refused | null {
  return commandType === 0 ? null : refused('INVALID_COMMAND_TYPE', 'A PDF becomes GP-GL, so command_type must be 0.');
}

function wrongForSequence(sidecar: Sidecar | null, linkInfo: string | null, bytes: Uint8Array): Refused | null {
  if (bytes.byteLength === 0) return refused('INVALID_COMMAND_SEQUENCE', 'The file is empty.');
  if (sidecar === null) return refused('SIDECAR_MISSING', 'A command sequence needs a sidecar of the same name (.job.json) that says which barcode its sheet has.');
  return linkInfo === null ? refused('INVALID_BARCODE', 'Neither the sidecar nor the file name says which barcode the sheet has (barcode_link_info).') : null;
}

async function contentOfPdf(fileName: string, pdf: Uint8Array, tools: ProcessTools): Promise<CutContent | Refused> {
  const { preparer, stepsPerMm, cutSpotColors, order } = tools;
  const result = await preparer.importCutPdf({ pdf, stepsPerMm, cutSpotColors, ...(order === undefined ? {} : { order }) });
  if (!result.ok) return refusedFile(tools, { pdf, fileName, failure: result.failure });
  const { commandSequence, commandPreview, geometry, warnings } = result.imported;
  return { commandSequence, commandPreview, geometry, warnings: warnings.map(({ code, detail }) => ({ code, detail })) };
}

async function contentOfSequence(bytes: Uint8Array, { append_etx, command_type }: Sidecar, { preparer, stepsPerMm }: ProcessTools): Promise<CutContent> {
  const commandSequence = append_etx === true && bytes.at(-1) !== ETX ? Buffer.concat([bytes, Uint8Array.of(ETX)]) : bytes;
  const geometry = command_type === 1 ? null : await preparer.measure({ bytes: commandSequence, stepsPerMm });
  return { commandSequence, commandPreview: previewCommands(commandSequence, previewedCommands), geometry, warnings: [] };
}

/** With the code the file names, or a new one that is kept until the job is registered. */
async function withLinkInfo(jobs: JobLibrary, linkInfo: string | null, register: (code: Pick<NewJob, 'linkInfo' | 'minted'>) => Promise<JobRecord>): Promise<JobRecord | Refused> {
  if (linkInfo !== null) return register({ linkInfo });
  const minted = jobs.reserveLinkInfo();
  if (minted === null) return refused('UNAVAILABLE', 'Every code of BARCODE_PREFIX is in use; set another prefix.');
  try {
    return await register({ linkInfo: minted.linkInfo, minted });
  } finally {
    jobs.releaseLinkInfo(minted);
  }
}
