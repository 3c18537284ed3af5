import { panelErrors, type PanelError } from './states.ts';

// Code 39 as the scanner reads it (gpgl-and-data-link.md section 3): `*` + 9 link characters + F or R + check + `*` is the
// Roll Media format; without the position character it is the Standard format, which the Data Link refuses with E05021.

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%';

/** Check character modulo 43. Undefined when a character is not in Code 39. */
export function checkCharacter(text: string): string | undefined {
  let sum = 0;
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value < 0) return undefined;
    sum += value;
  }
  return alphabet[sum % 43];
}

export type Reading =
  | { readonly kind: 'link-info'; readonly linkInfo: string }
  | { readonly kind: 'unreadable'; readonly error: PanelError }
  | { readonly kind: 'not-a-code' };

/** Takes what an operator types: the 9 link characters, or a whole Code 39 text with its asterisks. */
export function readBarcode(typed: string): Reading {
  if (/^[0-9A-Z]{9}$/.test(typed)) return { kind: 'link-info', linkInfo: typed };
  const whole = /^\*([0-9A-Z]{9})([FR]?)(.)\*$/.exec(typed);
  const [, linkInfo, position, check] = whole ?? [];
  if (linkInfo === undefined || position === undefined) return { kind: 'not-a-code' };
  if (checkCharacter(linkInfo + position) !== check) {
    return { kind: 'unreadable', error: panelErrors.startMark('the check character of the barcode is wrong') };
  }
  if (position === '') return { kind: 'unreadable', error: panelErrors.barcodeType() };
  return { kind: 'link-info', linkInfo };
}
