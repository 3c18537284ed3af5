import type { Tool } from '../../gpgl/index.ts';

/** Apart from each other for people who see colours differently too: blades by hue, and by dashes where they leave the sheet whole. */
export interface ToolLook {
  readonly colour: string;
  /** Lengths of dash and gap, as multiples of the line's width. */
  readonly dash: readonly number[];
}

export const toolLooks: Readonly<Record<Tool, ToolLook>> = {
  'cut': { colour: '#d000b8', dash: [] },
  'kiss-cut': { colour: '#0072b2', dash: [] },
  'perforation': { colour: '#d55e00', dash: [4, 2] },
  'crease': { colour: '#009e73', dash: [8, 3] },
};

export const otherPen: ToolLook = { colour: '#6a3d9a', dash: [] };
export const zoneColour = '#e69f00';
export const markColour = '#0060ff';
export const offenderColour = '#ff1a00';
export const textColour = '#202020';
export const paper = '#ffffff';
export const surround = '#d8d8d8';
