import Type, { type Static } from 'typebox';
import type { InfoResult } from '../../cutters/index.ts';
import { problem } from '../problems.ts';
import { json, route, type Route } from '../route.ts';
import type { HttpAnswer } from '../types.ts';
import { cutterNotFound } from './data-link.ts';
import { presentCutter } from './present.ts';
import { CutterInfo, StartedStatus, StoppedStatus } from './schemas.ts';
import type { AreaCServices } from './services.ts';

const query = Type.Object({ cutter: Type.Optional(Type.String({ description: 'Name of one cutter; without it, all' })) });

const oneOrAll = <T extends Type.TSchema>(schema: T) => Type.Union([Type.Array(schema), schema]);

export function cutterControlRoutes({ fleet, runtime }: AreaCServices): Route[] {
  const namesOf = (cutter: string | undefined): string[] | null => {
    if (cutter === undefined) return fleet.states().map(({ name }) => name);
    return fleet.state(cutter) === undefined ? null : [cutter];
  };
  /** The status of each cutter after `act`, with its flag. */
  const control = async <F extends string>(cutter: string | undefined, flag: F, act: (name: string) => Promise<boolean>): Promise<HttpAnswer> => {
    const names = namesOf(cutter);
    if (names === null) return cutterNotFound(cutter ?? '');
    const flags = new Map(await Promise.all(names.map(async (name) => [name, await act(name)] as const)));
    const statuses = names.flatMap((name) => {
      const state = fleet.state(name);
      return state === undefined ? [] : [{ ...presentCutter(state, runtime), [flag]: flags.get(name) === true }];
    });
    return json(200, cutter === undefined ? statuses : statuses[0]);
  };
  return [
    route({
      method: 'POST', path: '/dls/start', access: 'areaC', tag: 'cutters', summary: 'Begin polling',
      query, answers: { 200: { description: 'All statuses as an array, or the one named', schema: oneOrAll(StartedStatus) } },
      problems: ['CUTTER_NOT_FOUND'],
      handle: (_request, { query: { cutter } }) => control(cutter, 'start_accepted', (name) => fleet.startPolling(name)),
    }),
    route({
      method: 'POST', path: '/dls/stop', access: 'areaC', tag: 'cutters', summary: 'End polling; a job that is being sent is sent to its end',
      query, answers: { 200: { description: 'All statuses as an array, or the one named', schema: oneOrAll(StoppedStatus) } },
      problems: ['CUTTER_NOT_FOUND'],
      handle: (_request, { query: { cutter } }) => control(cutter, 'stop_completed', (name) => fleet.stopPolling(name)),
    }),
    route({
      method: 'GET', path: '/cutter/info', access: 'areaC', tag: 'cutters', summary: 'Ask the machines who they are, now',
      query, answers: { 200: { description: 'All cutters as an array, or the one named; nulls for one that does not answer beside others that do', schema: oneOrAll(CutterInfo) } },
      problems: ['CUTTER_NOT_FOUND', 'CUTTER_BUSY', 'CUTTER_UNREACHABLE'],
      async handle(_request, { query: { cutter } }) {
        const names = namesOf(cutter);
        if (names === null) return cutterNotFound(cutter ?? '');
        const answers = await fleet.info(names);
        const refusal = infoRefusal(answers);
        if (refusal !== null) return refusal;
        const infos = names.map((name) => presentInfo(name, answers.get(name)));
        return json(200, cutter === undefined ? infos : infos[0]);
      },
    }),
  ];
}

/** Any cutter that is busy refuses for all; silence does only when none answers. */
function infoRefusal(answers: ReadonlyMap<string, InfoResult>): HttpAnswer | null {
  const failed = (code: string): string[] => [...answers].flatMap(([name, answer]) => (!answer.ok && answer.failure.code === code ? [`${name}: ${answer.failure.detail}`] : []));
  const busy = failed('CUTTER_BUSY');
  if (busy.length > 0) return problem('CUTTER_BUSY', `Nothing was asked, so as not to disturb the work. ${busy.join('; ')}.`);
  const silent = failed('CUTTER_UNREACHABLE');
  if (answers.size > 0 && silent.length === answers.size) return problem('CUTTER_UNREACHABLE', `No answer. ${silent.map((each) => each.replace(/\.$/, '')).join('; ')}.`);
  return null;
}

function presentInfo(name: string, answer: InfoResult | undefined): Static<typeof CutterInfo> {
  const machine = answer?.ok === true ? answer.machine : { model: null, firmware: null, step_size_mm: null, command_setting: null };
  return { cutter_name: name, cutter_model: machine.model, firmware: machine.firmware, cutter_step_size_mm: machine.step_size_mm, command_setting: machine.command_setting };
}
