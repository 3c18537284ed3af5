import type { StepVerdict } from './marking.ts';
import { verdictOfStep } from './marking.ts';
import type { ObjectStore } from './object-store.ts';
import type { PdfObject } from './objects.ts';
import { PdfDict, PdfName, PdfRef, PdfString, bytesToText, isArray, nameToText } from './objects.ts';

export interface Step {
  readonly group: string;
  readonly type: string | null;
  readonly verdict: StepVerdict;
}

export interface Layer {
  readonly ref: PdfRef | null;
  readonly name: string;
  readonly step: Step | null;
  /** Shown when the file is opened. */
  readonly visible: boolean;
  /** Shown when it is printed. */
  readonly prints: boolean;
}

/** What marked content or an /OC entry leads to: a group or a membership dictionary. */
export interface Membership {
  /** The groups it names, those under /Not left out. */
  readonly layers: readonly Layer[];
  readonly visible: boolean;
  readonly prints: boolean;
  readonly usesNot: boolean;
}

type Shown = 'visible' | 'prints';

// A file of more layers than this has no use for any of them.
const MAX_LAYERS = 4096;
const MAX_EXPRESSIONS = 4096;

/** Reads the optional content groups of a document, and what of them is shown and printed: the default configuration, then what its
 * usage applications (AS) make of it when the file is viewed or printed. Source: ISO 32000-1, 8.11.4. */
export class LayerReader {
  private readonly store: ObjectStore;
  private readonly off = new Set<number>();
  private readonly on = new Set<number>();
  private readonly baseOff: boolean;
  private readonly automatic: Automatic;
  private readonly byNumber = new Map<number, Layer>();
  private readonly memberships = new Map<PdfDict, Membership>();

  constructor(store: ObjectStore, catalog: PdfDict) {
    this.store = store;
    const properties = store.dict(catalog, 'OCProperties');
    const config = properties === null ? null : store.dict(properties, 'D');
    this.baseOff = config !== null && store.name(config, 'BaseState') === 'OFF';
    if (config !== null) {
      for (const ref of refsOf(store.array(config, 'ON'))) this.on.add(ref.num);
      for (const ref of refsOf(store.array(config, 'OFF'))) this.off.add(ref.num);
    }
    this.automatic = automaticOf(store, config);
    for (const ref of refsOf(properties === null ? null : store.array(properties, 'OCGs'))) this.group(ref);
  }

  /** All groups of the file, those first that the catalogue lists. */
  all(): Layer[] {
    return [...this.byNumber.values()];
  }

  private group(ref: PdfRef): Layer | null {
    const known = this.byNumber.get(ref.num);
    if (known !== undefined) return known;
    const dict = this.store.resolve(ref);
    if (!(dict instanceof PdfDict) || this.byNumber.size >= MAX_LAYERS) return null;
    const layer = this.layer(dict, ref);
    this.byNumber.set(ref.num, layer);
    return layer;
  }

  private layer(dict: PdfDict, ref: PdfRef | null): Layer {
    const name = this.store.value(dict, 'Name');
    const isOn = ref === null || (this.baseOff ? this.on.has(ref.num) : !this.off.has(ref.num));
    return {
      ref,
      name: name instanceof PdfString ? bytesToText(name.bytes) : '',
      step: this.step(dict),
      visible: this.switched(dict, ref, 'View') ?? isOn,
      prints: this.switched(dict, ref, 'Print') ?? isOn,
    };
  }

  /** What the event makes of the group; null where it leaves it alone. */
  private switched(dict: PdfDict, ref: PdfRef | null, event: 'View' | 'Print'): boolean | null {
    const categories = ref === null ? undefined : this.automatic[event].get(ref.num);
    const usage = categories === undefined ? null : this.store.dict(dict, 'Usage');
    if (categories === undefined || usage === null) return null;
    const states: boolean[] = [];
    for (const [category, key] of STATES) {
      const entry = categories.has(category) ? this.store.dict(usage, category) : null;
      const state = entry === null ? null : this.store.name(entry, key);
      if (state !== null) states.push(state !== 'OFF');
    }
    return states.length === 0 ? null : states.every(Boolean);
  }

  private step(dict: PdfDict): Step | null {
    const metadata = this.store.dict(dict, 'GTS_Metadata');
    const holder = metadata !== null && this.text(metadata, 'GTS_ProcStepsGroup') !== null ? metadata : dict;
    const group = this.text(holder, 'GTS_ProcStepsGroup');
    if (group === null) return null;
    const type = this.text(holder, 'GTS_ProcStepsType');
    return { group, type, verdict: verdictOfStep(group, type) };
  }

  private text(dict: PdfDict, key: string): string | null {
    const value = this.store.value(dict, key);
    if (value instanceof PdfName) return nameToText(value.text);
    return value instanceof PdfString ? bytesToText(value.bytes) : null;
  }

  membership(object: PdfObject): Membership | null {
    const dict = this.store.resolve(object);
    if (!(dict instanceof PdfDict)) return null;
    const known = this.memberships.get(dict);
    if (known !== undefined) return known;
    const membership = this.read(object, dict);
    this.memberships.set(dict, membership);
    return membership;
  }

  private read(object: PdfObject, dict: PdfDict): Membership {
    if (this.store.name(dict, 'Type') !== 'OCMD') {
      const layer = object instanceof PdfRef ? this.group(object) : this.layer(dict, null);
      return { layers: layer === null ? [] : [layer], visible: layer?.visible ?? true, prints: layer?.prints ?? true, usesNot: false };
    }
    const expression = this.store.array(dict, 'VE');
    if (expression !== null) {
      const collected: Collected = { layers: [], usesNot: false, expressions: 0 };
      const visible = this.evaluate(expression, 'visible', collected, false, 0);
      const prints = this.evaluate(expression, 'prints', { layers: [], usesNot: false, expressions: 0 }, false, 0);
      return { layers: collected.layers, usesNot: collected.usesNot, visible, prints };
    }
    const groups = dict.get('OCGs');
    const items = this.store.resolve(groups);
    const refs = isArray(items) ? refsOf(items) : groups instanceof PdfRef ? [groups] : [];
    const layers = refs.slice(0, MAX_LAYERS).map((ref) => this.group(ref)).filter((layer) => layer !== null);
    const policy = this.store.name(dict, 'P') ?? 'AnyOn';
    return { layers, visible: byPolicy(policy, layers, 'visible'), prints: byPolicy(policy, layers, 'prints'), usesNot: false };
  }

  private evaluate(expression: readonly PdfObject[], shown: Shown, into: Collected, negated: boolean, depth: number): boolean {
    into.expressions += 1;
    if (depth > 32 || into.expressions > MAX_EXPRESSIONS || into.layers.length > MAX_LAYERS) return true;
    const operator = this.store.resolve(expression[0] ?? null);
    const name = operator instanceof PdfName ? operator.text : 'And';
    const not = name === 'Not';
    if (not) into.usesNot = true;
    const values: boolean[] = [];
    for (const operand of expression.slice(1, MAX_LAYERS)) {
      const value = this.store.resolve(operand);
      if (isArray(value)) values.push(this.evaluate(value, shown, into, negated || not, depth + 1));
      else if (operand instanceof PdfRef) {
        const layer = this.group(operand);
        if (layer === null) continue;
        if (!negated && !not) into.layers.push(layer);
        values.push(layer[shown]);
      }
    }
    if (not) return !(values[0] ?? false);
    return name === 'Or' ? values.some(Boolean) : values.every(Boolean);
  }
}

function byPolicy(policy: string, layers: readonly Layer[], shown: Shown): boolean {
  if (layers.length === 0) return true;
  switch (policy) {
    case 'AllOn':
      return layers.every((layer) => layer[shown]);
    case 'AnyOff':
      return layers.some((layer) => !layer[shown]);
    case 'AllOff':
      return layers.every((layer) => !layer[shown]);
    default:
      return layers.some((layer) => layer[shown]);
  }
}

interface Collected {
  readonly layers: Layer[];
  usesNot: boolean;
  /** Looked at so far: one that holds itself three times over has no end. */
  expressions: number;
}

/** Categories of usage that give a state, and its key. Others depend on who looks and how near. */
const STATES = [['View', 'ViewState'], ['Print', 'PrintState'], ['Export', 'ExportState']] as const;

/** Per event, group number → the categories that decide. */
interface Automatic {
  readonly View: ReadonlyMap<number, ReadonlySet<string>>;
  readonly Print: ReadonlyMap<number, ReadonlySet<string>>;
}

function automaticOf(store: ObjectStore, config: PdfDict | null): Automatic {
  const found = { View: new Map<number, Set<string>>(), Print: new Map<number, Set<string>>() };
  for (const item of (config === null ? null : store.array(config, 'AS')) ?? []) {
    const application = store.resolve(item);
    if (!(application instanceof PdfDict)) continue;
    const event = store.name(application, 'Event');
    if (event !== 'View' && event !== 'Print') continue;
    const categories = (store.array(application, 'Category') ?? []).slice(0, 16).map((each) => store.resolve(each));
    for (const ref of refsOf(store.array(application, 'OCGs'))) {
      let known = found[event].get(ref.num);
      if (known === undefined) found[event].set(ref.num, (known = new Set<string>()));
      for (const category of categories) if (category instanceof PdfName) known.add(category.text);
    }
  }
  return found;
}

function refsOf(array: readonly PdfObject[] | null): PdfRef[] {
  return (array ?? []).filter((item) => item instanceof PdfRef);
}
