import { LayerReader } from '../layers.ts';
import type { PdfDocument } from '../open.ts';
import type { PdfObject } from '../objects.ts';
import { PdfDict, PdfName, PdfRef, isArray } from '../objects.ts';
import type { Changes } from './save.ts';

/** Takes the layers of tool types out of print: print state off in each group's usage, and an entry in the default
 * configuration that makes printing obey it (ISO 32000-1, 8.11.4.4). On screen they stay as they are.
 * Returns the catalogue, changed where the configuration has no object of its own. */
export function hideCutLayers(document: PdfDocument, changes: Changes, catalog: PdfDict): PdfDict {
  const { store } = document;
  const layers = new LayerReader(store, document.catalog).all().filter(({ step }) => step?.verdict.kind === 'tool');
  const groups = layers.map(({ ref }) => ref).filter((ref) => ref !== null);
  if (groups.length === 0) return catalog;
  for (const ref of groups) {
    const group = store.resolve(ref);
    if (!(group instanceof PdfDict)) continue;
    const usage = store.dict(group, 'Usage') ?? new PdfDict();
    const print = (store.dict(usage, 'Print') ?? new PdfDict()).with({ PrintState: new PdfName('OFF') });
    changes.put(group.with({ Usage: usage.with({ Print: print }) }), ref);
  }
  const entry = catalog.get('OCProperties');
  const properties = store.resolve(entry);
  const old = properties instanceof PdfDict ? properties : new PdfDict(new Map<string, PdfObject>([['OCGs', groups]]));
  const config = store.dict(old, 'D') ?? new PdfDict();
  const automatic = store.value(config, 'AS');
  const added = new PdfDict(new Map<string, PdfObject>([
    ['Event', new PdfName('Print')],
    ['Category', [new PdfName('Print')]],
    ['OCGs', groups],
  ]));
  const changed = old.with({ D: config.with({ AS: [...(isArray(automatic) ? automatic : []), added] }) });
  if (entry instanceof PdfRef) {
    changes.put(changed, entry);
    return catalog;
  }
  return catalog.with({ OCProperties: changed });
}
