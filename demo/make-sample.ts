/**
 * Draws demo/sample.pdf: an A3 sheet of stickers whose contours stand in a processing-steps layer (ISO 19593-1).
 * The letter F is not symmetric: a cut that was mirrored or turned would show at once.
 * usage: node --import tsx demo/make-sample.ts
 */
import { writeFileSync } from 'node:fs';
import { PDFDocument, PDFName, PDFString, StandardFonts } from 'pdf-lib';

const mm = 72 / 25.4;
/** Corners of the letter F in page millimetres, from the bottom left. */
const letterF = [[100, 150], [115, 150], [115, 190], [150, 190], [150, 205], [115, 205], [115, 225], [165, 225], [165, 240], [100, 240]] as const;
const circle = { x: 205, y: 195, radius: 30 };
const label = { x: 95, y: 280, width: 110, height: 40, radius: 8 };

const number = (value: number): string => String(Math.round(value * mm * 1000) / 1000);
const point = (x: number, y: number): string => `${number(x)} ${number(y)}`;

function polygon(corners: readonly (readonly [number, number])[]): string {
  return `${corners.map(([x, y], i) => `${point(x, y)} ${i === 0 ? 'm' : 'l'}`).join(' ')} h`;
}

function round(x: number, y: number, width: number, height: number, radius: number): string {
  const k = radius * 0.5523;
  const [x1, y1] = [x + width, y + height];
  return [
    `${point(x + radius, y)} m ${point(x1 - radius, y)} l ${point(x1 - radius + k, y)} ${point(x1, y + radius - k)} ${point(x1, y + radius)} c`,
    `${point(x1, y1 - radius)} l ${point(x1, y1 - radius + k)} ${point(x1 - radius + k, y1)} ${point(x1 - radius, y1)} c`,
    `${point(x + radius, y1)} l ${point(x + radius - k, y1)} ${point(x, y1 - radius + k)} ${point(x, y1 - radius)} c`,
    `${point(x, y + radius)} l ${point(x, y + radius - k)} ${point(x + radius - k, y)} ${point(x + radius, y)} c h`,
  ].join(' ');
}

const disc = (radius: number): string => round(circle.x - radius, circle.y - radius, 2 * radius, 2 * radius, radius);

const text = (x: number, y: number, size: number, words: string): string => `BT /F1 ${size} Tf ${point(x, y)} Td (${words}) Tj ET`;

const artwork = [
  `0.85 0.1 0 0 k ${polygon(letterF)} f`,
  `0 0.35 0.95 0 k ${disc(circle.radius)} f 0 0 0 0 k ${disc(circle.radius - 8)} f 0 0.35 0.95 0 k ${disc(circle.radius - 14)} f`,
  `0.7 0 0.6 0 k ${round(label.x, label.y, label.width, label.height, label.radius)} f 0 0 0 0 k ${text(label.x + 27, label.y + 15, 36, 'KERF')}`,
  `0 0 0 0.6 k ${text(100, 130, 10, 'Kerf sample sheet: F, disc and label are cut along their edges.')}`,
].join('\n');

const contours = [
  '/Die CS 1 SCN 0.25 w',
  `${polygon(letterF)} S`,
  `${disc(circle.radius)} S`,
  `${round(label.x, label.y, label.width, label.height, label.radius)} S`,
].join('\n');

const document = await PDFDocument.create({ updateMetadata: false });
document.setTitle('Kerf sample sheet');
const page = document.addPage([297 * mm, 420 * mm]);
const { context } = document;
const font = await document.embedFont(StandardFonts.HelveticaBold);
const step = context.register(context.obj({
  Type: 'OCG', Name: PDFString.of('Cutting'),
  GTS_Metadata: { GTS_ProcStepsGroup: 'Structural', GTS_ProcStepsType: 'Cutting' },
}));
const tint = context.register(context.obj({ FunctionType: 2, Domain: [0, 1], C0: [0, 0, 0, 0], C1: [0, 1, 0, 0], N: 1 }));
const die = context.obj([PDFName.of('Separation'), PDFName.of('Die'), PDFName.of('DeviceCMYK'), tint]);
document.catalog.set(PDFName.of('OCProperties'), context.obj({ OCGs: [step], D: { Order: [step], ON: [step] } }));
page.node.set(PDFName.of('Resources'), context.obj({ Font: { F1: font.ref }, ColorSpace: { Die: die }, Properties: { Step: step } }));
page.node.set(PDFName.of('Contents'), context.register(context.flateStream(`${artwork}\n/OC /Step BDC\n${contours}\nEMC\n`)));
writeFileSync(new URL('./sample.pdf', import.meta.url), await document.save());
