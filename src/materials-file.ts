import { readFileSync } from 'node:fs';
import { readMaterials, type MaterialsResult } from './prepare/index.ts';

/** null: the shop has no such file, and so no materials. */
export function readMaterialsFile(path: string | null): MaterialsResult {
  if (path === null) return { ok: true, materials: new Map() };
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return { ok: false, problems: [`it cannot be read (${error instanceof Error ? error.message : String(error)})`] };
  }
  return readMaterials(bytes);
}
