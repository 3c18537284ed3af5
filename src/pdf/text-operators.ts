import type { ContentLexer } from './content-lexer.ts';
import type { Type3Glyphs } from './fonts.ts';
import type { GraphicsState } from './graphics-state.ts';
import type { PdfDict, PdfObject } from './objects.ts';
import * as op from './operators.ts';
import type { Painter } from './painter.ts';
import type { ReadingSession, Standing } from './session.ts';
import { textStateOperator } from './state-operators.ts';
import { TextPosition } from './text.ts';

/** The operators of text objects. */
export class TextOperators {
  /** Between BT and ET. */
  open = false;
  private readonly position = new TextPosition();
  private readonly session: ReadingSession;
  private readonly painter: Painter;
  private readonly onType3: (glyphs: Type3Glyphs) => void;

  constructor(session: ReadingSession, painter: Painter, onType3: (glyphs: Type3Glyphs) => void) {
    this.session = session;
    this.painter = painter;
    this.onType3 = onType3;
  }

  /** False where the operator is none of text. */
  execute(code: number, lexer: ContentLexer, state: GraphicsState, standing: Standing, resources: PdfDict): boolean {
    const text = this.position;
    switch (code) {
      case op.BEGIN_TEXT:
        this.open = true;
        text.begin();
        return true;
      case op.END_TEXT:
        this.open = false;
        return true;
      case op.FONT: {
        const name = lexer.name(0);
        state.fontName = name ?? '';
        state.font = name === null ? null : this.session.fonts.named(name, resources);
        state.fontSize = lexer.number(1);
        return true;
      }
      case op.TEXT_MOVE:
        text.move(lexer.number(0), lexer.number(1));
        return true;
      case op.TEXT_MOVE_LEADING:
        state.leading = -lexer.number(1);
        text.move(lexer.number(0), lexer.number(1));
        return true;
      case op.TEXT_MATRIX:
        text.set([lexer.number(0), lexer.number(1), lexer.number(2), lexer.number(3), lexer.number(4), lexer.number(5)]);
        return true;
      case op.NEXT_LINE:
        text.move(0, -state.leading);
        return true;
      case op.SHOW:
      case op.SHOW_ARRAY:
        this.show(lexer.object(0), state, standing);
        return true;
      case op.SHOW_LINE:
        text.move(0, -state.leading);
        this.show(lexer.object(0), state, standing);
        return true;
      case op.SHOW_LINE_SPACED:
        state.wordSpacing = lexer.number(0);
        state.characterSpacing = lexer.number(1);
        text.move(0, -state.leading);
        this.show(lexer.object(2), state, standing);
        return true;
      default:
        return textStateOperator(code, lexer, state);
    }
  }

  private show(shown: PdfObject, state: GraphicsState, standing: Standing): void {
    if (state.font?.type3) this.onType3(state.font.type3);
    const box = this.position.show(shown, state);
    if (box === null) return;
    const mode = state.renderMode % 4;
    // 3 shows nothing; 7 only adds to the clip, as 4 to 6 do besides painting.
    if (mode === 3 || state.renderMode === 7) return;
    const strokes = mode === 1 || mode === 2;
    const fills = mode === 0 || mode === 2;
    const paints = [...(fills ? [state.fill] : []), ...(strokes ? [state.stroke] : [])];
    const alpha = Math.max(fills ? state.fillAlpha : 0, strokes ? state.strokeAlpha : 0);
    const half = strokes ? state.halfLineWidth(true) : 0;
    const grown = { x0: box.x0 - half, y0: box.y0 - half, x1: box.x1 + half, y1: box.y1 + half };
    this.painter.other('text', state, standing, grown, paints, alpha, `text in /${state.fontName}`);
  }
}
