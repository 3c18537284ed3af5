/**
 * Processing: the file in hand becomes a job, and in the print folder a marked PDF too.
 *
 * Guarantee: one job and one output for a claim, however often this is begun. The job is registered under the claim's
 * key. The marked PDF is on disk beside its place before that, and takes its name after: if it is there without a
 * name, the name is still due; if the job is there and it is not, it has been given out, even if a RIP has taken it.
 */
import { readFile, rm } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ProcessOutput, Work } from '../../machines/index.ts';
import type { JobRecord } from '../jobs/index.ts';
import { cutJob } from './cut-job.ts';
import { isMissing, look, makeDirectory, renameIntoFreeName, writeFileDurably } from './files.ts';
import { isPdfName, linkInfoInName, outputName } from './names.ts';
import { refused, refusedFile, type ProcessTools, type Refused } from './process-tools.ts';
import { endMark, endMarkWindowBytes, hasEndMark, type FolderDirectories, type FolderId } from './rules.ts';

/** Runs of the service that may end in the middle of one file before it is put aside as their likely cause. */
const triesLimit = 12;

export async function processFile(folder: FolderId, work: Work, directories: FolderDirectories, attempt: number, tools: ProcessTools): Promise<ProcessOutput> {
  const key = `hot-folder/${folder}/${work.claim_id}`;
  const { outbox } = directories;
  const waiting = outbox === null ? null : join(outbox, `.kerf-${work.claim_id}.part`);
  const known = tools.jobs.byKey(key);
  const made = known ?? (await makeJob(work, key, waiting, attempt, tools));
  if ('outcome' in made) {
    if (waiting !== null) await rm(waiting, { force: true });
    if (made.code === 'UNAVAILABLE') return { outcome: 'held', code: made.code, detail: made.detail, at: tools.now() };
    return { ...made, at: tools.now() };
  }
  const output = outbox === null || waiting === null ? null : await giveOut(waiting, outbox, outputName(work.file.name, made.barcode_link_info));
  return { outcome: 'done', job_id: made.id, job_name: made.name, link_info: made.barcode_link_info, output, at: tools.now() };
}

/** The marked PDF gets its name, if it has not got it already. */
async function giveOut(waiting: string, outbox: string, name: string): Promise<string> {
  return (await look(waiting)) === null ? name : renameIntoFreeName(waiting, outbox, name);
}

async function makeJob(work: Work, key: string, waiting: string | null, attempt: number, tools: ProcessTools): Promise<JobRecord | Refused> {
  if (attempt > triesLimit) return refused('GIVEN_UP', `The service stopped ${triesLimit} times while it worked on this file; it is put aside.`);
  const read = await readInHand(work, tools.maxFileBytes);
  if (!('bytes' in read)) return read;
  const { bytes } = read;
  if (isPdfName(work.file.name) && !hasEndMark(bytes)) {
    const detail = `The PDF has no ${endMark} within its last ${endMarkWindowBytes} bytes: it seems that it was not copied to its end.`;
    return refusedFile(tools, { pdf: bytes, fileName: work.file.name, failure: { code: 'PDF_UNFINISHED', detail } });
  }
  return waiting === null ? cutJob(work, key, bytes, tools) : printJob(work, key, bytes, waiting, tools);
}

async function readInHand({ claim_dir, file, sha256 }: Work, maxFileBytes: number): Promise<{ readonly bytes: Uint8Array } | Refused> {
  if (file.identity.size > maxFileBytes) return refused('UPLOAD_TOO_LARGE', `The file has ${file.identity.size} bytes; MAX_UPLOAD_BYTES is ${maxFileBytes}.`);
  let bytes: Uint8Array;
  try {
    bytes = await readFile(join(claim_dir, file.name));
  } catch (error) {
    if (isMissing(error)) return refused('FILE_GONE', 'The file was taken away while it was in hand.');
    throw error;
  }
  const isAsClaimed = createHash('sha256').update(bytes).digest('hex') === sha256;
  return isAsClaimed ? { bytes } : refused('FILE_CHANGED', 'The file was still written to after it had been taken. Put it into the inbox again.');
}

async function printJob(work: Work, key: string, pdf: Uint8Array, waiting: string, tools: ProcessTools): Promise<JobRecord | Refused> {
  const { name } = work.file;
  const prepared = await tools.printPreparation.prepare({
    pdf, key, fileName: name, linkInfo: linkInfoInName(name) ?? undefined,
    async beforeRegister({ markedPdf }) {
      await makeDirectory(join(waiting, '..'));
      await writeFileDurably(waiting, markedPdf);
    },
  });
  return prepared.ok ? prepared.job : refusedFile(tools, { pdf, fileName: name, failure: prepared.failure });
}
