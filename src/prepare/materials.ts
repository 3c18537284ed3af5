/** The materials of a shop: a file of its own, read once at the start (setting MATERIALS_FILE). */
import Type, { type Static } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { conditionRanges, type ToolCondition, type ToolConditions } from '../gpgl/index.ts';

const level = ({ least, most }: { readonly least: number; readonly most: number }, description: string) => Type.Integer({ minimum: least, maximum: most, description });

const Condition = Type.Object({
  speed_cm_per_s: level(conditionRanges.speedCmPerS, 'Speed of the lowered tool'),
  acceleration: level(conditionRanges.accelerationLevel, 'Level, half a G each'),
  force: level(conditionRanges.forceLevel, 'Level of the cutter\'s own scale'),
}, { additionalProperties: false });

/** All four tools: what a job says for one tool may hold for the next as well. */
const Material = Type.Object({ 'cut': Condition, 'kiss-cut': Condition, 'perforation': Condition, 'crease': Condition }, { additionalProperties: false });

const MaterialsFile = Type.Object({ materials: Type.Record(Type.String(), Material) }, { additionalProperties: false });

const materialName = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/;

export type Materials = ReadonlyMap<string, ToolConditions>;

export type MaterialsResult =
  | { readonly ok: true; readonly materials: Materials }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Every problem at once, each with where it is. */
export function readMaterials(bytes: Uint8Array): MaterialsResult {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return { ok: false, problems: [`it is not JSON in UTF-8 (${error instanceof Error ? error.message : String(error)})`] };
  }
  if (!Check(MaterialsFile, value)) {
    return { ok: false, problems: [...Errors(MaterialsFile, value)].map(({ instancePath, message }) => `${instancePath === '' ? 'it' : instancePath} ${message}`) };
  }
  const names = Object.keys(value.materials);
  const problems = names.filter((name) => !materialName.test(name))
    .map((name) => `${JSON.stringify(name)} is no name for a material: 1 to 40 letters, digits, blanks, ".", "_" and "-", the first a letter or a digit`);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, materials: new Map(Object.entries(value.materials).map(([name, material]) => [name, conditionsOf(material)])) };
}

function conditionsOf(material: Static<typeof Material>): ToolConditions {
  return {
    'cut': conditionOf(material.cut), 'kiss-cut': conditionOf(material['kiss-cut']),
    'perforation': conditionOf(material.perforation), 'crease': conditionOf(material.crease),
  };
}

function conditionOf({ speed_cm_per_s, acceleration, force }: Static<typeof Condition>): ToolCondition {
  return { speedCmPerS: speed_cm_per_s, accelerationLevel: acceleration, forceLevel: force };
}
