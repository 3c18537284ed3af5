import type { ColourSpace, Paint } from './colour.ts';
import { DEVICE_PAINTS } from './colour.ts';
import type { ContentLexer } from './content-lexer.ts';
import type { GraphicsState } from './graphics-state.ts';
import { PdfDict, PdfStream } from './objects.ts';
import * as op from './operators.ts';
import type { ReadingSession } from './session.ts';

/** The operators that choose colours. */
export class ColourOperators {
  /** In the glyphs of Type 3 fonts that take the colour of their text. */
  ignored = false;
  private readonly session: ReadingSession;
  private readonly onPattern: (pattern: PdfStream) => void;

  constructor(session: ReadingSession, onPattern: (pattern: PdfStream) => void) {
    this.session = session;
    this.onPattern = onPattern;
  }

  /** False where the operator is none of colour. */
  execute(code: number, lexer: ContentLexer, state: GraphicsState, resources: PdfDict): boolean {
    switch (code) {
      case op.STROKE_GRAY:
      case op.FILL_GRAY:
        this.setPaint(state, code === op.STROKE_GRAY, DEVICE_PAINTS.gray);
        return true;
      case op.STROKE_RGB:
      case op.FILL_RGB:
        this.setPaint(state, code === op.STROKE_RGB, DEVICE_PAINTS.rgb);
        return true;
      case op.STROKE_CMYK:
      case op.FILL_CMYK:
        this.setPaint(state, code === op.STROKE_CMYK, DEVICE_PAINTS.cmyk);
        return true;
      case op.STROKE_SPACE:
      case op.FILL_SPACE: {
        const name = lexer.name(0);
        if (name !== null) this.setPaint(state, code === op.STROKE_SPACE, this.session.colours.initial(this.session.colours.named(name, resources)));
        return true;
      }
      case op.STROKE_COLOUR:
      case op.STROKE_COLOUR_N:
        this.setColour(lexer, state, resources, true);
        return true;
      case op.FILL_COLOUR:
      case op.FILL_COLOUR_N:
        this.setColour(lexer, state, resources, false);
        return true;
      default:
        return false;
    }
  }

  private setPaint(state: GraphicsState, strokes: boolean, paint: Paint): void {
    if (this.ignored) return;
    if (strokes) state.stroke = paint;
    else state.fill = paint;
  }

  private setColour(lexer: ContentLexer, state: GraphicsState, resources: PdfDict, strokes: boolean): void {
    if (this.ignored) return;
    const space: ColourSpace = (strokes ? state.stroke : state.fill).space;
    const patternName = lexer.name(lexer.operandCount - 1);
    const pattern = patternName === null ? null : this.pattern(patternName, resources);
    const count = Math.min(patternName === null ? lexer.operandCount : lexer.operandCount - 1, lexer.numbers.length);
    this.setPaint(state, strokes, this.session.colours.paint(space, lexer.numbers, count, pattern));
  }

  private pattern(name: string, resources: PdfDict): PdfDict | PdfStream | null {
    const { store } = this.session;
    const patterns = store.dict(resources, 'Pattern');
    const pattern = patterns === null ? null : store.value(patterns, name);
    if (pattern instanceof PdfStream) this.onPattern(pattern);
    else if (pattern instanceof PdfDict) {
      const shading = store.dict(pattern, 'Shading');
      if (shading !== null) this.shadingPaint(shading, resources, `shading pattern /${name}`);
    }
    return pattern instanceof PdfStream || pattern instanceof PdfDict ? pattern : null;
  }

  /** The colour a shading is made of; says so where its ink cuts. */
  shadingPaint(shading: PdfDict, resources: PdfDict, description: string): Paint {
    const { colours, findings } = this.session;
    const space = colours.space(shading.get('ColorSpace'), resources, 0);
    const paint = colours.initial(space);
    if (paint.cut !== null) {
      const detail = `The ${description} uses the cutting ink "${paint.cutInk}".`;
      findings.notCuttable('CUT_IN_PATTERN', { what: 'pattern', detail, description: 'a pattern', box: null }, null);
    }
    return paint;
  }
}
