/** What can be wrong with one setting. Codes are for tests and scripts, `detail` is for the person who set it. */
export interface SettingProblem {
  readonly variable: string;
  readonly code:
    | 'NOT_A_NUMBER'
    | 'NOT_A_BOOLEAN'
    | 'OUT_OF_RANGE'
    | 'NOT_ALLOWED'
    | 'BAD_FORMAT'
    | 'DUPLICATE'
    | 'CONFLICT'
    | 'UNREADABLE';
  readonly detail: string;
}

/** Something that does not stop the service, but that a person should know. */
export interface SettingWarning {
  readonly variable: string;
  readonly code: 'LOOKS_LIKE' | 'OPEN_TO_NETWORK' | 'SHORT_KEY' | 'EMPTY';
  readonly detail: string;
}

export interface SettingsFailure {
  readonly code: 'SETTINGS_INVALID';
  /** Every problem, one line each, ready to print. */
  readonly detail: string;
  readonly problems: readonly SettingProblem[];
  readonly warnings: readonly SettingWarning[];
}

export function settingsFailure(problems: readonly SettingProblem[], warnings: readonly SettingWarning[]): SettingsFailure {
  const count = problems.length === 1 ? 'One setting is wrong' : `${problems.length} settings are wrong`;
  const lines = problems.map((problem) => `  ${problem.variable}: ${problem.detail}`);
  return { code: 'SETTINGS_INVALID', detail: [`${count}:`, ...lines].join('\n'), problems, warnings };
}
