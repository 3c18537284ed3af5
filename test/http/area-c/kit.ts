/** A service with simulated cutters, and answers that are held against the OpenAPI description. */
import assert from 'node:assert/strict';
import { createCutter, type CutterOptions, type CutterSimulator } from '../../../firmware-sim/index.ts';
import { eventually, startKerf, type TestKerf } from '../../support/kerf.ts';
import { checkedApi, member, type CheckedApi } from '../../support/openapi.ts';

export { eventually, temporaryDirectory } from '../../support/kerf.ts';
export { checkedApi, member, type CheckedAnswer, type CheckedApi } from '../../support/openapi.ts';

export interface Stage {
  readonly kerf: TestKerf;
  readonly api: CheckedApi;
  readonly cutters: readonly CutterSimulator[];
  stop(): Promise<void>;
}

export const timeScale = 100;

/** Cutters by name, with what differs from an FC9000 on TCP. */
export async function startStage(cutters: Readonly<Record<string, Partial<CutterOptions>>>, environment: Readonly<Record<string, string>> = {}, directory?: string): Promise<Stage> {
  const simulators = Object.entries(cutters).map(([name, options]) => ({ name, cutter: createCutter({ model: 'FC9000-140', timeScale, ...(options.ptyPath === undefined ? { tcpPort: 0 } : {}), ...options }) }));
  for (const { cutter } of simulators) assert.ok((await cutter.start()).ok);
  const addresses = simulators.map(({ name, cutter }) => `${name}=${addressOf(cutter)}`);
  const kerf = await startKerf({ ...(addresses.length === 0 ? {} : { CUTTERS: addresses.join(',') }), ...environment }, directory);
  const key = environment.API_KEY;
  const api = await checkedApi(kerf.url, key === undefined ? {} : { 'X-API-Key': key });
  return {
    kerf, api, cutters: simulators.map(({ cutter }) => cutter),
    async stop() {
      await kerf.stop();
      await Promise.all(simulators.map(({ cutter }) => cutter.stop()));
    },
  };
}

export function addressOf(cutter: CutterSimulator): string {
  const { tcp, pty } = cutter.addresses();
  return tcp === undefined ? `serial://${pty?.path ?? ''}` : `tcp://${tcp.host}:${tcp.port}`;
}

export async function statusOf(api: CheckedApi, cutter: string): Promise<unknown> {
  return (await api.expect(200, 'GET', `/dls/status?cutter=${cutter}`)).json;
}

/** Waits until a cutter's status has these members. */
export function untilStatus(api: CheckedApi, cutter: string, wanted: Readonly<Record<string, unknown>>): Promise<unknown> {
  return eventually(`${cutter}: ${JSON.stringify(wanted)}`, async () => {
    const status = await statusOf(api, cutter);
    return Object.entries(wanted).every(([name, value]) => member(status, name) === value) ? status : undefined;
  });
}

export async function events(api: CheckedApi, cutter?: string): Promise<{ kind: string; message: string; code: unknown }[]> {
  const answer = await api.expect(200, 'GET', `/dls/events${cutter === undefined ? '' : `?cutter=${cutter}`}`);
  assert.ok(Array.isArray(answer.json));
  return answer.json.map((entry: unknown) => ({ kind: String(member(entry, 'kind')), message: String(member(entry, 'message')), code: member(entry, 'data', 'code') }));
}

export const etx = '\x03';

/** Section 6 of gpgl-and-data-link.md: one 40 mm square within marks of 160 × 116 mm. */
export const squareJob = 'TB99␃TB51,200␃TB52,2␃TB54,0,0␃TB55,1␃TB24,1600,1160␃TB99␃J1␃M300,150␃D700,150,700,550,300,550,300,150␃M0,0␃TB0␃'.replaceAll('␃', etx);

export function jobBody(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    name: 'Square', barcode_link_info: 'A0200ROLL', command_type: 0, regmark_fx: 60, regmark_fy: 400, regmark_rx: 0, regmark_ry: 0,
    command_sequence: squareJob, command_sequence_encoding: 'plain', append_etx: false, ...more,
  };
}

export function jsonInit(body: unknown): RequestInit {
  return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
}

/** Registers a job and answers its id. */
export async function importJob(api: CheckedApi, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const answer = await api.expect(201, 'POST', '/jobs/import-json', jsonInit(jobBody(more)));
  const id = member(answer.json, 'id');
  assert.ok(typeof id === 'string');
  assert.ok(answer.headers.get('location')?.endsWith(`/jobs/${id}`));
  return id;
}

export function codeOf(answer: { readonly json: unknown }): unknown {
  return member(answer.json, 'code');
}
