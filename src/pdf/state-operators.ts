import type { ContentLexer } from './content-lexer.ts';
import type { GraphicsState } from './graphics-state.ts';
import type { PdfDict } from './objects.ts';
import * as op from './operators.ts';
import type { ReadingSession } from './session.ts';

/** Executes an operator that changes the graphics state and nothing else; false where it is none of these. */
export function stateOperator(code: number, lexer: ContentLexer, state: GraphicsState, session: ReadingSession, resources: PdfDict): boolean {
  switch (code) {
    case op.LINE_WIDTH:
      state.lineWidth = lexer.number(0);
      return true;
    case op.LINE_JOIN:
      state.lineJoin = lexer.number(0);
      return true;
    case op.MITER_LIMIT:
      state.miterLimit = lexer.number(0);
      return true;
    case op.LINE_CAP:
    case op.DASH:
    case op.FLATNESS:
    case op.RENDERING_INTENT:
      return true;
    case op.EXTENDED_STATE:
      extendedState(lexer.name(0), state, session, resources);
      return true;
    default:
      return false;
  }
}

function extendedState(name: string | null, state: GraphicsState, session: ReadingSession, resources: PdfDict): void {
  const { store } = session;
  const states = store.dict(resources, 'ExtGState');
  const dict = name === null || states === null ? null : store.dict(states, name);
  if (dict === null) return;
  state.strokeAlpha = store.number(dict, 'CA') ?? state.strokeAlpha;
  state.fillAlpha = store.number(dict, 'ca') ?? state.fillAlpha;
  const strokes = store.value(dict, 'OP');
  const fills = store.value(dict, 'op');
  if (typeof strokes === 'boolean') state.strokeOverprints = strokes;
  // OP alone speaks for both (ISO 32000-1, 8.6.7).
  if (typeof fills === 'boolean' || typeof strokes === 'boolean') state.fillOverprints = fills === true || (fills === null && strokes === true);
  state.lineWidth = store.number(dict, 'LW') ?? state.lineWidth;
  state.lineJoin = store.number(dict, 'LJ') ?? state.lineJoin;
  state.miterLimit = store.number(dict, 'ML') ?? state.miterLimit;
  const font = store.array(dict, 'Font');
  if (font === null) return;
  const size = store.resolve(font[1] ?? null);
  state.font = session.fonts.font(font[0] ?? null);
  state.fontSize = typeof size === 'number' ? size : state.fontSize;
}

/** Text state belongs to the graphics state: it may be set outside text objects and is saved by q. */
export function textStateOperator(code: number, lexer: ContentLexer, state: GraphicsState): boolean {
  switch (code) {
    case op.CHARACTER_SPACING:
      state.characterSpacing = lexer.number(0);
      return true;
    case op.WORD_SPACING:
      state.wordSpacing = lexer.number(0);
      return true;
    case op.HORIZONTAL_SCALE:
      state.horizontalScale = lexer.number(0) / 100;
      return true;
    case op.LEADING:
      state.leading = lexer.number(0);
      return true;
    case op.RISE:
      state.rise = lexer.number(0);
      return true;
    case op.RENDER_MODE:
      state.renderMode = lexer.number(0);
      return true;
    default:
      return false;
  }
}
