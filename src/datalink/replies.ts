/**
 * What a cutter answers: one parser for each kind of reply (gpgl-and-data-link.md sections 1.4 and 4.1).
 * Guarantee: a value is given only for a complete reply of the right shape; nothing is guessed from a damaged one.
 * Hole: the protocol has no checksum. A digit that noise turned into another digit is believed.
 */
import { printable } from './failures.ts';

export type Parsed<T> = { ok: true; value: T } | { ok: false; detail: string };
export type ReplyParser<T> = (text: string) => Parsed<T>;

export interface CutterModel { model: string; firmware: string }
export type StepSizeMm = 0.1 | 0.05 | 0.025 | 0.01;
export type CommandSetting = 'GP-GL' | 'HP-GL' | 'AUTO';

const understood = <T>(value: T): Parsed<T> => ({ ok: true, value });
const notA = (what: string, text: string): { ok: false; detail: string } => ({ ok: false, detail: `"${printable(text)}" is not ${what}` });

function parseInteger(text: string, what: string): Parsed<number> {
  return /^[+-]?\d{1,6}$/.test(text) ? understood(Number(text) + 0) : notA(what, text);
}

/** d1: `0␃`, `-3␃`, on an FC9000 `    4␃`. A negative number is an error state of the cutter, and still a status. */
export const parseStatus: ReplyParser<number> = (text) => parseInteger(text, 'a status');

/** d2: `A0200ROLL␃`; `␃` alone when the cutter has already left state 2, given as null. */
export const parseLinkInfo: ReplyParser<string | null> = (text) =>
  text === '' ? understood(null) : /^[0-9A-Z]{9}$/.test(text) ? understood(text) : notA('a link info of 9 characters 0-9A-Z', text);

/** d3, d5 and d6: `0␃` accepted, `-1␃` rejected. */
export const parseResult: ReplyParser<number> = (text) => parseInteger(text, 'a result code');

/** d4: `2␃`; `␃` alone when the operator chose another server's job, given as null. */
export const parseSelection: ReplyParser<number | null> = (text) => (text === '' ? understood(null) : parseInteger(text, 'a job index'));

/** C31;9: `FC9000-140, V1.39␃`, `CE6000-60, V2.70␃`. */
export const parseModel: ReplyParser<CutterModel> = (text) => {
  const match = /^([\x21-\x2b\x2d-\x7e][\x20-\x2b\x2d-\x7e]{0,38}?)\s*,\s*V?([0-9][0-9A-Za-z.]{0,15})$/.exec(text);
  const [, model, firmware] = match ?? [];
  return model === undefined || firmware === undefined ? notA('a model with its firmware', text) : understood({ model, firmware });
};

const stepSizes: ReadonlyMap<number, StepSizeMm> = new Map<number, StepSizeMm>([[1, 0.1], [2, 0.05], [3, 0.025], [4, 0.01]]);

/** C31;16: `1␃` = 0.1 mm, 2 = 0.05, 3 = 0.025, 4 = 0.01; padded to five characters on an FC9000. */
export const parseStepSize: ReplyParser<StepSizeMm> = (text) => {
  const code = parseInteger(text, 'a step size code');
  const stepSizeMm = code.ok ? stepSizes.get(code.value) : undefined;
  return stepSizeMm === undefined ? notA('a step size code from 1 to 4', text) : understood(stepSizeMm);
};

const settings: ReadonlyMap<number, CommandSetting> = new Map<number, CommandSetting>([[0, 'GP-GL'], [1, 'HP-GL'], [2, 'AUTO']]);

/** C31;24: `0␃` GP-GL, 1 HP-GL, 2 AUTO. */
export const parseCommandSetting: ReplyParser<CommandSetting> = (text) => {
  const code = parseInteger(text, 'a command setting');
  const setting = code.ok ? settings.get(code.value) : undefined;
  return setting === undefined ? notA('a command setting from 0 to 2', text) : understood(setting);
};

/** A frame that a cutter pushes unasked, ended by CR instead of ETX, e.g. `1,254` (section 1.4). */
const pushedFrame = /^-?\d+(\s*,\s*-?\d+)+$/;

/** An FC9000 is said to answer this, in words, to whoever is not first. */
export const saysAlreadyConnected = (text: string): boolean => /already\s+connected/i.test(text);

/**
 * Reads the text before an ETX. CR, LF, NUL and padding are stripped; lines before the reply's own are frames that the
 * cutter pushed unasked, and are handed back to be reported. `1,254` CR ETX is a pushed frame and an empty reply
 * wherever `1,254` cannot be the reply itself.
 */
export function readReply<T>(textBeforeEtx: string, parse: ReplyParser<T>): { parsed: Parsed<T>; unsolicited: string[] } {
  const lines = textBeforeEtx.split(/[\r\n]/).map((line) => line.replace(/^[\0 \t]+|[\0 \t]+$/g, ''));
  const filled = lines.filter((line) => line !== '');
  const reply = filled.at(-1) ?? '';
  const before = filled.slice(0, -1);
  const parsed = parse(reply);
  if (!parsed.ok && lines.at(-1) === '' && pushedFrame.test(reply)) return { parsed: parse(''), unsolicited: filled };
  return { parsed, unsolicited: before };
}
