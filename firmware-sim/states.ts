/** Data Link status codes, gpgl-and-data-link.md section 4.2. */
export type StateCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

const labels: Readonly<Record<StateCode, string>> = {
  0: 'Stopped',
  1: 'Scanning barcode',
  2: 'Requesting job list',
  3: 'Selecting job',
  4: 'Job determined',
  5: 'Cutting',
  6: 'User operating',
  7: 'Error',
};

export const stateLabel = (state: StateCode): string => labels[state];

export function asStateCode(value: number): StateCode | undefined {
  switch (value) {
    case 0: case 1: case 2: case 3: case 4: case 5: case 6: case 7:
      return value;
    default:
      return undefined;
  }
}

/** What stands on the cutter's display in state 7. Codes with E come from section 5.2, the others are ours. */
export interface PanelError {
  readonly code: string;
  readonly text: string;
}

export const panelErrors = {
  outOfArea: (detail: string): PanelError => ({ code: 'E04017', text: `ARMS destination is out of area: ${detail}` }),
  sensing: (detail: string): PanelError => ({ code: 'E04024', text: `mark scan error, insufficient sensing level: ${detail}` }),
  startMark: (detail: string): PanelError => ({ code: 'START_MARK', text: `start mark not detected: ${detail}` }),
  barcodeType: (): PanelError => ({ code: 'E05021', text: 'wrong barcode type: the Data Link needs the Roll Media format' }),
  noData: (seconds: number): PanelError => ({ code: 'NO_DATA', text: `no data within ${seconds} s of the job being determined` }),
  cancelled: (): PanelError => ({ code: 'CANCELLED', text: 'cancelled on the panel' }),
  linkLost: (): PanelError => ({ code: 'LINK_LOST', text: 'the connection was lost in the middle of the data' }),
} as const;
