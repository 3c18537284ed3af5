import type { SpotMatch } from './marking.ts';
import type { ObjectStore } from './object-store.ts';
import type { PdfObject , PdfDict} from './objects.ts';
import { PdfName, PdfStream, PdfString, isArray, nameToText } from './objects.ts';

/** A colour space, reduced to what decides whether a colour cuts, prints, or is invisible. */
export interface ColourSpace {
  readonly family: 'device' | 'spot' | 'indexed' | 'pattern';
  /** For people: "DeviceCMYK", "Separation CutContour". */
  readonly label: string;
  readonly components: number;
  /** Names of the colorants of a Separation or DeviceN space, in order; empty for others. */
  readonly inks: readonly string[];
  /** Per colorant, the cutting name it matched. */
  readonly matches: readonly (SpotMatch | null)[];
  /** Whether any colorant cuts: for all other spaces a colour needs no further look. */
  readonly mayCut: boolean;
  /** What an Indexed space selects from, or what an uncoloured pattern is painted in. */
  readonly base: ColourSpace | null;
  readonly lookup: Uint8Array | null;
}

/** A current colour: what painting with it means. */
export interface Paint {
  readonly space: ColourSpace;
  /** The cutting ink in it, or null. */
  readonly cut: SpotMatch | null;
  readonly cutInk: string;
  /** Amount of the cutting ink, 0 to 1. */
  readonly tint: number;
  /** Other inks are in it as well. */
  readonly mixed: boolean;
  /** Puts down nothing at all: ink None, or a spot colour at tint 0. */
  readonly invisible: boolean;
  readonly pattern: PdfDict | PdfStream | null;
}

function deviceSpace(label: string, components: number): ColourSpace {
  return { family: 'device', label, components, inks: [], matches: [], mayCut: false, base: null, lookup: null };
}

const GRAY = deviceSpace('DeviceGray', 1);
const RGB = deviceSpace('DeviceRGB', 3);
const CMYK = deviceSpace('DeviceCMYK', 4);
const BARE_PATTERN: ColourSpace = { ...deviceSpace('Pattern', 0), family: 'pattern' };
const PROCESS_INKS: ReadonlySet<string> = new Set(['Cyan', 'Magenta', 'Yellow', 'Black', 'Red', 'Green', 'Blue', 'Gray', 'None']);

export type DeviceName = 'gray' | 'rgb' | 'cmyk';

export function plainPaint(space: ColourSpace): Paint {
  return { space, cut: null, cutInk: '', tint: 0, mixed: false, invisible: false, pattern: null };
}

export const DEVICE_PAINTS: Readonly<Record<DeviceName, Paint>> = {
  gray: plainPaint(GRAY),
  rgb: plainPaint(RGB),
  cmyk: plainPaint(CMYK),
};

/** Reads colour spaces and colours of one document. Spaces are kept by the object that defines them. */
export class ColourReader {
  private readonly known = new Map<PdfObject, ColourSpace>();
  private readonly paints = new Map<ColourSpace, Paint>();
  private readonly store: ObjectStore;
  private readonly match: (ink: string) => SpotMatch | null;
  /** Called once for each ink that is no process ink, when its space is first read. */
  private readonly onInk: (ink: string, match: SpotMatch | null) => void;

  constructor(store: ObjectStore, match: (ink: string) => SpotMatch | null, onInk: (ink: string, match: SpotMatch | null) => void) {
    this.store = store;
    this.match = match;
    this.onInk = onInk;
  }

  /** The space of that name in the resources, or a device space. */
  named(name: string, resources: PdfDict): ColourSpace {
    const device = byDeviceName(name);
    if (device !== null) return device;
    const spaces = this.store.dict(resources, 'ColorSpace');
    return spaces === null ? GRAY : this.space(spaces.get(name), resources, 0);
  }

  space(object: PdfObject, resources: PdfDict, depth: number): ColourSpace {
    const value = this.store.resolve(object);
    if (value instanceof PdfName) {
      const device = byDeviceName(value.text);
      if (device !== null || depth > 8) return device ?? GRAY;
      const spaces = this.store.dict(resources, 'ColorSpace');
      const named = spaces === null ? null : this.store.value(spaces, value.text);
      return named === null || named === value ? GRAY : this.space(named, resources, depth + 1);
    }
    if (!isArray(value) || depth > 8) return GRAY;
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const space = this.fromArray(value, resources, depth);
    this.known.set(value, space);
    return space;
  }

  private fromArray(array: readonly PdfObject[], resources: PdfDict, depth: number): ColourSpace {
    const family = this.store.resolve(array[0] ?? null);
    const name = family instanceof PdfName ? family.text : '';
    const second = this.store.resolve(array[1] ?? null);
    switch (name) {
      case 'Separation':
        return this.spot([second instanceof PdfName ? second.text : ''], 'Separation');
      case 'DeviceN':
        return this.spot(isArray(second) ? second.slice(0, 64).map((item) => this.nameOf(item)) : [], 'DeviceN');
      case 'Indexed':
      case 'I':
        return this.indexed(this.space(array[1] ?? null, resources, depth + 1), this.store.resolve(array[3] ?? null));
      case 'Pattern':
        return array.length < 2 ? BARE_PATTERN : { ...BARE_PATTERN, base: this.space(array[1] ?? null, resources, depth + 1) };
      case 'ICCBased': {
        const components = second instanceof PdfStream ? this.store.number(second.dict, 'N') : null;
        return deviceSpace('ICCBased', components ?? 3);
      }
      case 'CalGray':
        return deviceSpace(name, 1);
      case 'CalRGB':
      case 'Lab':
        return deviceSpace(name, 3);
      default:
        return byDeviceName(name) ?? GRAY;
    }
  }

  private nameOf(object: PdfObject): string {
    const value = this.store.resolve(object);
    return value instanceof PdfName ? value.text : '';
  }

  private spot(rawNames: readonly string[], kind: string): ColourSpace {
    const inks = rawNames.map(nameToText);
    const matches = inks.map((ink) => (ink === 'All' || ink === 'None' ? null : this.match(ink)));
    for (const [i, ink] of inks.entries()) if (!PROCESS_INKS.has(ink)) this.onInk(ink, matches[i] ?? null);
    const mayCut = matches.some((match) => match !== null);
    return { family: 'spot', label: `${kind} ${inks.join(' + ')}`, components: inks.length, inks, matches, mayCut, base: null, lookup: null };
  }

  private indexed(base: ColourSpace, table: PdfObject): ColourSpace {
    const bytes = table instanceof PdfString ? table.bytes : table instanceof PdfStream ? this.store.streamBytes(table) : null;
    return { family: 'indexed', label: `Indexed ${base.label}`, components: 1, inks: base.inks, matches: base.matches, mayCut: base.mayCut, base, lookup: bytes };
  }

  /** The colour right after the space was chosen: full tint for spot colours, else black or the first entry. */
  initial(space: ColourSpace): Paint {
    const known = this.paints.get(space);
    if (known !== undefined) return known;
    const paint = this.paint(space, new Float64Array(space.components).fill(space.family === 'spot' ? 1 : 0), space.components, null);
    this.paints.set(space, paint);
    return paint;
  }

  /** As much ink as the space has: what an image in it may hold somewhere. */
  full(space: ColourSpace): Paint {
    const spot = space.family === 'indexed' ? space.base : space;
    return spot === null ? this.plain(space) : this.initial(spot);
  }

  paint(space: ColourSpace, values: Float64Array, count: number, pattern: PdfDict | PdfStream | null): Paint {
    if (space.family === 'device') return this.plain(space);
    if (space.family === 'pattern') return this.patternPaint(space, values, count, pattern);
    if (space.family === 'indexed') return this.indexedPaint(space, values[0] ?? 0);
    return spotPaint(space, values, count);
  }

  private plain(space: ColourSpace): Paint {
    let paint = this.paints.get(space);
    if (paint === undefined) {
      paint = plainPaint(space);
      this.paints.set(space, paint);
    }
    return paint;
  }

  private indexedPaint(space: ColourSpace, index: number): Paint {
    const { base, lookup } = space;
    if (base?.family !== 'spot') return this.plain(space);
    const count = base.components;
    const entry = Math.max(0, Math.trunc(index)) * count;
    const values = Float64Array.from({ length: count }, (_, i) => (lookup?.[entry + i] ?? 255) / 255);
    return { ...spotPaint(base, values, count), space };
  }

  private patternPaint(space: ColourSpace, values: Float64Array, count: number, pattern: PdfDict | PdfStream | null): Paint {
    const under = space.base === null || pattern === null ? null : this.paint(space.base, values, count, null);
    return { space, cut: under?.cut ?? null, cutInk: under?.cutInk ?? '', tint: under?.tint ?? 0, mixed: under?.mixed ?? false, invisible: false, pattern };
  }
}

function spotPaint(space: ColourSpace, values: Float64Array, count: number): Paint {
  let cut: SpotMatch | null = null;
  let cutInk = '';
  let tint = 0;
  let cutting = 0;
  let others = 0;
  for (const [i, ink] of space.inks.entries()) {
    const amount = i < count ? (values[i] ?? 0) : 1;
    if (!(amount > 0) || ink === 'None') continue;
    const match = space.matches[i] ?? null;
    if (match === null) others += 1;
    else cutting += 1;
    if (match !== null && (cut === null || amount > tint)) {
      cut = match;
      cutInk = ink;
      tint = Math.min(1, amount);
    }
  }
  return { space, cut, cutInk, tint, mixed: cut !== null && others + cutting > 1, invisible: cut === null && others === 0, pattern: null };
}

function byDeviceName(name: string): ColourSpace | null {
  switch (name) {
    case 'DeviceGray':
    case 'G':
    case 'CalGray':
      return GRAY;
    case 'DeviceRGB':
    case 'RGB':
    case 'CalRGB':
      return RGB;
    case 'DeviceCMYK':
    case 'CMYK':
      return CMYK;
    case 'Pattern':
      return BARE_PATTERN;
    default:
      return null;
  }
}
