/** The file beside a cut file that says what the sheet is: name, barcode, command type, registration vector. */
import Type, { type Static } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { isJobName, maxJobNameLength, type RegistrationVector } from '../jobs/index.ts';
import { defaultVector } from '../prepare/index.ts';

/** 0.1 mm in either direction; the cutters' own fields end far below this. */
const Distance = Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }));

const Sidecar = Type.Object({
  name: Type.Optional(Type.String()),
  barcode_link_info: Type.Optional(Type.String({ pattern: '^[0-9A-FH-Z][0-9A-Z]{8}$' })),
  command_type: Type.Optional(Type.Integer({ minimum: 0, maximum: 1 })),
  regmark_fx: Distance,
  regmark_fy: Distance,
  regmark_rx: Distance,
  regmark_ry: Distance,
  append_etx: Type.Optional(Type.Boolean()),
});

export type Sidecar = Static<typeof Sidecar>;

export type SidecarResult = { readonly ok: true; readonly sidecar: Sidecar } | { readonly ok: false; readonly detail: string };

/** More than this is no sidecar. */
export const sidecarLimitBytes = 65_536;

/** Members that are not ours are left alone: such files often hold more. */
export function parseSidecar(bytes: Uint8Array): SidecarResult {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return { ok: false, detail: `it is not JSON in UTF-8 (${error instanceof Error ? error.message : String(error)})` };
  }
  if (!Check(Sidecar, value)) {
    const problems = [...Errors(Sidecar, value)].map((error) => `${error.instancePath === '' ? 'it' : error.instancePath.slice(1)} ${error.message}`);
    return { ok: false, detail: problems.slice(0, 4).join('; ') };
  }
  if (value.name !== undefined && !isJobName(value.name)) {
    return { ok: false, detail: `name is 1 to ${maxJobNameLength} printable ASCII characters, as the cutter's display shows them` };
  }
  return { ok: true, sidecar: value };
}

export function vectorOf({ regmark_fx, regmark_fy, regmark_rx, regmark_ry }: Sidecar): RegistrationVector {
  return { fx: regmark_fx ?? defaultVector.fx, fy: regmark_fy ?? defaultVector.fy, rx: regmark_rx ?? defaultVector.rx, ry: regmark_ry ?? defaultVector.ry };
}
