import Type, { type Static } from 'typebox';

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Tool = Type.Enum(['cut', 'kiss-cut', 'perforation', 'crease']);
const Finding = Type.Object({ code: Type.String(), detail: Type.String({ description: 'A sentence a person can act on' }) });
const BoxMm = nullable(Type.Array(Type.Number(), {
  minItems: 4, maxItems: 4, description: 'Left, bottom, right, top in mm as the file states it: UserUnit applied, Rotate not; null where it states none that can be used',
}));

export const PreflightReportSchema = Type.Object({
  would_be_accepted: Type.Boolean({ description: 'Sent without dry_run now, the file would become a marked PDF and a job' }),
  refusal: nullable(Type.Object(Finding.properties, { description: 'What it would be refused with' })),
  page: Type.Object({
    width_mm: Type.Number({ description: 'As the page is seen: crop box, turned by Rotate, UserUnit applied' }),
    height_mm: Type.Number({ description: 'As the page is seen' }),
    media_box_mm: BoxMm,
    crop_box_mm: BoxMm,
    bleed_box_mm: BoxMm,
    trim_box_mm: BoxMm,
    art_box_mm: BoxMm,
    rotate: Type.Integer({ description: 'Clockwise: 0, 90, 180 or 270' }),
    user_unit: Type.Number({ description: 'In 1/72 inch; 1 where the file states none' }),
    pdf_version: Type.String({ description: '"1.7"' }),
    is_repaired: Type.Boolean({ description: 'The cross-reference is damaged; the objects were found by searching' }),
    is_encrypted: Type.Boolean({ description: 'Encrypted, and opened with an empty password' }),
  }),
  cut_source: nullable(Type.Enum(['processing-steps', 'spot-color', 'mixed'], { description: 'How the cut paths are marked; null where there are none' })),
  tools: Type.Array(Type.Object({
    tool: Tool,
    paths: Type.Integer(),
    segments: Type.Integer({ description: 'Straight pieces, curves flattened' }),
    length_mm: Type.Number(),
  }), { description: 'Cut paths as they are on the page, duplicates included, in the order in which the tools work' }),
  seen: Type.Array(Type.Object({
    kind: Type.Enum(['ink', 'layer']),
    name: Type.String(),
    is_taken: Type.Boolean({ description: 'Paths are cut because of it' }),
    tool: nullable(Tool),
    cut_paths: Type.Integer({ description: 'Paths cut because of it' }),
    other_objects: Type.Integer({ description: 'Other things painted in it or on it, inside patterns and glyphs not counted' }),
    overprints: nullable(Type.Boolean({ description: 'Of an ink that is cut: whether all its paths overprint; one that knocks out leaves a white line in what lies below' })),
    reason: Type.String({ description: 'Why it was taken, or why not' }),
  }), { description: 'Every spot colour and every layer of the page, at most about 200' }),
  warnings: Type.Array(Finding, { description: 'Their codes are the header X-Warnings of a file that is accepted' }),
}, { description: 'What was found on the page and what was passed over' });

export type PreflightReport = Static<typeof PreflightReportSchema>;
