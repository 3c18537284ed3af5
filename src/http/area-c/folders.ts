/** The two hot-folder workers: ingest (cut files) and print_prepare. */
import Type from 'typebox';
import type { FolderId, RetryFailure } from '../../folders/index.ts';
import type { ProblemCode } from '../problems.ts';
import { problem } from '../problems.ts';
import { json, jsonBody, route, type Route } from '../route.ts';
import { presentFolder } from './present.ts';
import { WorkerStatus } from './schemas.ts';
import type { AreaCServices } from './services.ts';

const RetryRequest = Type.Object({ file: Type.String({ minLength: 1, maxLength: 255, description: 'Name of a file in the error folder' }) }, { additionalProperties: false });

const retryBodyBytes = 4096;

const retryProblems: Readonly<Record<RetryFailure['code'], ProblemCode>> = {
  INVALID_FILE_NAME: 'INVALID_PARAMETER',
  FILE_NOT_FOUND: 'NOT_FOUND',
  OTHER_FOLDER: 'CONFLICT',
  TOO_MANY_RETRIES: 'CONFLICT',
};

export function folderRoutes({ folders }: AreaCServices): Route[] {
  const routesOf = (base: string, id: FolderId, what: string): Route[] => {
    const answers = { 200: { description: 'How the worker is now', schema: WorkerStatus } };
    const common = { access: 'areaC', tag: 'folders', answers } as const;
    const status = () => json(200, presentFolder(folders.state(id)));
    return [
      route({ ...common, method: 'GET', path: `${base}/status`, summary: `How the ${what} is`, handle: status }),
      route({
        ...common, method: 'POST', path: `${base}/start`, summary: `Let the ${what} take files`,
        handle: async () => json(200, presentFolder(await folders.setRunning(id, true))),
      }),
      route({
        ...common, method: 'POST', path: `${base}/stop`, summary: `Let the ${what} take no more files; the one in hand is finished`,
        handle: async () => json(200, presentFolder(await folders.setRunning(id, false))),
      }),
      route({
        ...common, method: 'POST', path: `${base}/retry`, summary: `Try a file in the error folder of the ${what} again`,
        body: jsonBody(RetryRequest, { capBytes: retryBodyBytes, invalid: 'INVALID_BODY' }),
        problems: ['INVALID_BODY', 'INVALID_PARAMETER', 'NOT_FOUND', 'CONFLICT'],
        async handle(_request, { body: { file } }) {
          const asked = await folders.retry(id, file);
          return asked.ok ? status() : problem(retryProblems[asked.failure.code], asked.failure.detail);
        },
      }),
    ];
  };
  return [...routesOf('/ingest', 'ingest', 'cut-file folder'), ...routesOf('/print', 'print_prepare', 'print folder')];
}
