/** The form of POST /print/prepare: its fields, and what a schema cannot say about them. */
import Type, { type Static } from 'typebox';
import { choiceConflicts, choiceRanges, type MeasuredChoice, type SheetChoices } from '../../prepare/index.ts';
import type { Form } from '../multipart.ts';
import { problem, type FieldError, type Problem } from '../problems.ts';
import { convertParameters, invalidInput } from '../route.ts';
import { compileSchema } from '../schema.ts';

const Measured = (choice: MeasuredChoice, description: string) =>
  Type.Optional(Type.Number({ minimum: choiceRanges[choice].least, maximum: choiceRanges[choice].most, description }));
const Copies = (choice: 'copiesX' | 'copiesY', description: string) =>
  Type.Optional(Type.Integer({ minimum: choiceRanges[choice].least, maximum: choiceRanges[choice].most, description }));

const fields = {
  name: Type.Optional(Type.String({ description: 'Job name, at most 25 printable ASCII characters; default: the file name' })),
  barcode_link_info: Type.Optional(Type.String({ description: '9 characters of 0-9 and A-Z, the first not G; default: a new code' })),
  cut_layers: Type.Optional(Type.Enum(['hide', 'keep'], { description: 'Whether the layers of cut paths print; default: hide' })),
  material: Type.Optional(Type.String({ description: 'One of the shop\'s materials: its speed, force and acceleration for each tool are sent with the job; default: those set up at the cutter' })),
  marks_from_side_mm: Measured('marksFromSideMm', 'From the side edges to the centre lines of the marks; default: 50'),
  marks_from_rear_mm: Measured('marksFromRearMm', 'From the rear edge to the centre lines of the rear marks; default: 50'),
  marks_behind_band_mm: Measured('marksBehindBandMm', 'From the barcode band to the centre lines of the front marks; default: 6, with mark_type 1 as far as the arms need'),
  mark_type: Type.Optional(Type.Enum([1, 2], { type: 'integer', description: '2: arms point inward, as the Data Link was validated; 1: outward, with a warning; default: 2' })),
  mark_length_mm: Measured('markLengthMm', 'Length of an arm; default: 20'),
  mark_thickness_mm: Measured('markThicknessMm', 'Thickness of the lines; default: 0.7'),
  copies_x: Copies('copiesX', 'Copies across the sheet; default: 1. With more than one copy in all, the sheet is a new one around them'),
  copies_y: Copies('copiesY', 'Copies along the feed; default: 1'),
  gap_x_mm: Measured('gapXMm', 'Between copies across the sheet; default: 0'),
  gap_y_mm: Measured('gapYMm', 'Between copies along the feed; default: 0'),
  barcode_edge: Type.Optional(Type.Enum(['front', 'rear', 'both'], { description: 'Only front is supported: the geometry of a rear barcode is not known; default: front' })),
};

export const PrepareForm = Type.Object({
  file: Type.String({ contentMediaType: 'application/pdf', description: 'The print PDF, one page, with its cut paths' }),
  ...fields,
}, { additionalProperties: false });

const check = compileSchema(Type.Object(fields, { additionalProperties: false }));

export const choiceFields = {
  marksFromSideMm: 'marks_from_side_mm',
  marksFromRearMm: 'marks_from_rear_mm',
  marksBehindBandMm: 'marks_behind_band_mm',
  markType: 'mark_type',
  markLengthMm: 'mark_length_mm',
  markThicknessMm: 'mark_thickness_mm',
  copiesX: 'copies_x',
  copiesY: 'copies_y',
  gapXMm: 'gap_x_mm',
  gapYMm: 'gap_y_mm',
  barcodeEdge: 'barcode_edge',
} as const satisfies Readonly<Record<keyof SheetChoices, keyof typeof fields>>;

export interface PrintForm {
  readonly pdf: Uint8Array;
  readonly fileName: string;
  readonly name: string | undefined;
  readonly linkInfo: string | undefined;
  readonly cutLayers: 'hide' | 'keep' | undefined;
  readonly material: string | undefined;
  readonly sheet: SheetChoices;
}

/** Every problem of the fields at once; a missing file has its own code. */
export function readPrintForm(form: Form): PrintForm | { readonly problem: Problem } {
  const file = form.files.get('file');
  if (file === undefined || file.bytes.byteLength === 0) return problem('MISSING_FILE', 'The form needs a file field named "file" with the print PDF in it.');
  const checked = check.check(convertParameters(check.schema, [...form.fields]));
  const strayFiles = [...form.files.keys()].filter((field) => field !== 'file')
    .map((field) => ({ pointer: `/${field}`, code: 'UNKNOWN_FIELD', detail: `${JSON.stringify(field.slice(0, 60))} is not a file this endpoint knows` }));
  const conflicts = checked.ok ? conflictsOf(choicesOf(checked.value)) : [...checked.errors.map(withReason), ...edgeConflicts(form.fields.get('barcode_edge'))];
  if (!checked.ok || conflicts.length + strayFiles.length > 0) return { problem: invalidInput('INVALID_PARAMETER', [...conflicts, ...strayFiles]) };
  const { name, barcode_link_info: linkInfo, cut_layers: cutLayers, material } = checked.value;
  return { pdf: file.bytes, fileName: file.fileName, name, linkInfo, cutLayers, material, sheet: choicesOf(checked.value) };
}

type Fields = Static<typeof check.schema>;

function choicesOf(values: Fields): SheetChoices {
  return {
    marksFromSideMm: values.marks_from_side_mm,
    marksFromRearMm: values.marks_from_rear_mm,
    marksBehindBandMm: values.marks_behind_band_mm,
    markType: values.mark_type,
    markLengthMm: values.mark_length_mm,
    markThicknessMm: values.mark_thickness_mm,
    copiesX: values.copies_x,
    copiesY: values.copies_y,
    gapXMm: values.gap_x_mm,
    gapYMm: values.gap_y_mm,
    barcodeEdge: values.barcode_edge,
  };
}

function conflictsOf(choices: SheetChoices): FieldError[] {
  return choiceConflicts(choices).map(({ choice, detail }) => ({ pointer: `/${choiceFields[choice]}`, code: 'NOT_ALLOWED', detail }));
}

/** Told even where other fields are wrong: whoever asks for the rear edge cannot have it, whatever else is put right. */
function edgeConflicts(edge: string | undefined): FieldError[] {
  return edge === 'rear' || edge === 'both' ? conflictsOf({ barcodeEdge: edge }) : [];
}

const reasons = new Map(Object.entries(choiceRanges).map(([choice, { least, most, why }]) => [choice, `must be ${least} to ${most}: ${why}`]));
const reasonOfField = new Map(Object.entries(choiceFields).map(([choice, field]) => [`/${field}`, reasons.get(choice)]));

/** A limit with where it comes from. */
function withReason(error: FieldError): FieldError {
  const reason = error.code === 'OUT_OF_RANGE' ? reasonOfField.get(error.pointer) : undefined;
  return reason === undefined ? error : { ...error, detail: reason };
}
