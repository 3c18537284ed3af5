import type { Tool } from './units.ts';

/** How a tool goes through a material. */
export interface ToolCondition {
  readonly speedCmPerS: number;
  /** Half a G each. */
  readonly accelerationLevel: number;
  /** A level of the cutter's own scale, not grams. */
  readonly forceLevel: number;
}

/** All tools: nothing says that a cutter goes back to its own condition when a job selects the next tool. */
export type ToolConditions = Readonly<Record<Tool, ToolCondition>>;

interface Range {
  readonly least: number;
  readonly most: number;
}

/** Whole numbers that `!` and `*` are documented for on any pro cutter (section 1.2). A cutter that has less takes its most. */
export const conditionRanges = {
  speedCmPerS: { least: 1, most: 60 },
  accelerationLevel: { least: 1, most: 3 },
  forceLevel: { least: 1, most: 38 },
} as const satisfies Readonly<Record<keyof ToolCondition, Range>>;

export interface ConditionCommand {
  readonly name: '!' | '*';
  readonly parameters: readonly number[];
}

/** `!` above 100 is 100 more than the speed in cm/s; `*` takes acceleration and force together. Throws RangeError outside the ranges. */
export function conditionCommands(condition: ToolCondition): readonly ConditionCommand[] {
  const { speedCmPerS, accelerationLevel, forceLevel } = condition;
  check('speedCmPerS', speedCmPerS);
  check('accelerationLevel', accelerationLevel);
  check('forceLevel', forceLevel);
  return [{ name: '!', parameters: [100 + speedCmPerS] }, { name: '*', parameters: [accelerationLevel, forceLevel] }];
}

function check(name: keyof ToolCondition, value: number): void {
  const { least, most } = conditionRanges[name];
  if (!Number.isInteger(value) || value < least || value > most) throw new RangeError(`${name} ${value}`);
}
