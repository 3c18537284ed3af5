import Type from 'typebox';
import { problem } from '../problems.ts';
import { json, route, type Route } from '../route.ts';
import type { HttpAnswer } from '../types.ts';
import { presentCutter, presentEntry } from './present.ts';
import { ActivityEntry, CutterStatus } from './schemas.ts';
import type { AreaCServices } from './services.ts';

const cutter = Type.Optional(Type.String({ description: 'Name of one cutter; without it, all' }));

export function cutterNotFound(name: string): HttpAnswer {
  return problem('CUTTER_NOT_FOUND', `There is no cutter named ${JSON.stringify(name.slice(0, 80))}. The names are those of the CUTTERS setting.`);
}

export function dataLinkRoutes({ fleet, runtime }: AreaCServices): Route[] {
  return [
    route({
      method: 'GET', path: '/dls/status', access: 'areaC', tag: 'cutters', summary: 'What each cutter reports',
      query: Type.Object({ cutter }),
      answers: { 200: { description: 'All cutters as an array, or the one named', schema: Type.Union([Type.Array(CutterStatus), CutterStatus]) } },
      problems: ['CUTTER_NOT_FOUND'],
      handle(_request, { query }) {
        if (query.cutter === undefined) return json(200, fleet.states().map((state) => presentCutter(state, runtime)));
        const state = fleet.state(query.cutter);
        return state === undefined ? cutterNotFound(query.cutter) : json(200, presentCutter(state, runtime));
      },
    }),
    route({
      method: 'GET', path: '/dls/events', access: 'areaC', tag: 'cutters', summary: 'What happened, oldest first',
      query: Type.Object({
        cutter,
        limit: Type.Integer({ minimum: 1, maximum: 1000, default: 200, description: 'The newest so many' }),
        before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only entries before this position' })),
      }),
      answers: { 200: { description: 'Entries, oldest first', schema: Type.Array(ActivityEntry), headers: { Link: 'The page before this one, rel="prev"' } } },
      problems: ['CUTTER_NOT_FOUND'],
      handle(_request, { query }) {
        const { limit, before } = query;
        if (query.cutter !== undefined && fleet.state(query.cutter) === undefined) return cutterNotFound(query.cutter);
        const subject = query.cutter === undefined ? {} : { subject: `cutter/${query.cutter}` };
        const entries = runtime.journal({ ...subject, ...(before === undefined ? {} : { before }), limit });
        const oldest = entries[0];
        if (entries.length < limit || oldest === undefined) return json(200, entries.map(presentEntry));
        const page = new URLSearchParams({ ...(query.cutter === undefined ? {} : { cutter: query.cutter }), limit: String(limit), before: String(oldest.seq) });
        return json(200, entries.map(presentEntry), { Link: `</dls/events?${page.toString()}>; rel="prev"` });
      },
    }),
  ];
}
