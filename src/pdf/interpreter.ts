import { ColourOperators } from './colour-operators.ts';
import { ContentLexer } from './content-lexer.ts';
import type { Type3Glyphs } from './fonts.ts';
import { GraphicsState } from './graphics-state.ts';
import { isDrawn } from './image.ts';
import { inlineImageOf } from './inline-image.ts';
import type { Box, Matrix } from './matrix.ts';
import { IDENTITY, grown, intersect, mapBox, toBox, toMatrix, unite } from './matrix.ts';
import type { PdfObject } from './objects.ts';
import { PdfDict, PdfStream } from './objects.ts';
import { Painter } from './painter.ts';
import type { Reading } from './painter.ts';
import { PathOperators } from './path-operators.ts';
import { refuse, tooComplex } from './refusal.ts';
import type { ContentOwner, PaintListener, ReadingSession, Standing } from './session.ts';
import { NO_STANDING, enter } from './session.ts';
import { stateOperator } from './state-operators.ts';
import { TextOperators } from './text-operators.ts';
import * as op from './operators.ts';

/** How the content left its state: what must be closed before anything is appended to it. */
export interface ContentEnd {
  /** Q without q, at the page's own level. */
  readonly stateUnderflows: number;
  /** q without Q. */
  readonly stateOverhang: number;
  readonly markedContentOverhang: number;
  readonly inText: boolean;
  readonly inPath: boolean;
  /** What closes the token that the content breaks off in. */
  readonly unclosed: string;
}

const UNIT_SQUARE: Box = { x0: 0, y0: 0, x1: 1, y1: 1 };
const EVERYWHERE: Box = { x0: -Infinity, y0: -Infinity, x1: Infinity, y1: Infinity };
// Operators are counted in batches: one addition for each would be felt.
const COUNT_BATCH = 1024;

/** Interprets one content stream: the page's, a form's, or the inside of a pattern or glyph. */
export class Interpreter {
  private readonly session: ReadingSession;
  private readonly reading: Reading;
  private readonly painter: Painter;
  private readonly paths: PathOperators;
  private readonly colours: ColourOperators;
  private readonly text: TextOperators;

  private state: GraphicsState;
  private standing: Standing;
  private stack: GraphicsState[] = [];
  private resources: PdfDict = new PdfDict();
  private lexer: ContentLexer = new ContentLexer(new Uint8Array(0));
  private owner: ContentOwner = 'page';
  private pendingClip = false;
  private depth = 0;
  private underflows = 0;
  /** The patterns and glyphs this is the inside of. */
  private readonly within = new Set<PdfStream>();
  /** What was painted, for glyphs only. */
  private extent: Box | null = null;

  constructor(session: ReadingSession, matrix: Matrix, clip: Box, standing: Standing, reading: Reading, where: string) {
    this.session = session;
    this.reading = reading;
    this.painter = new Painter(session, reading, where);
    this.colours = new ColourOperators(session, (pattern) => { this.probe(pattern, 'pattern', pattern.dict); });
    this.text = new TextOperators(session, this.painter, (glyphs) => { this.probeGlyphs(glyphs); });
    this.paths = new PathOperators(session.limits.maxCutPoints, COUNT_BATCH);
    this.state = new GraphicsState(matrix, clip);
    this.standing = standing;
  }

  /** Runs the page's content. */
  run(bytes: Uint8Array, resources: PdfDict): ContentEnd {
    const outermost = this.standing;
    const { unclosed } = this.content(bytes, resources, 'page');
    return {
      stateUnderflows: this.underflows,
      stateOverhang: this.stack.length,
      markedContentOverhang: this.standing.depth - outermost.depth,
      inText: this.text.open,
      inPath: this.paths.path.opCount > 0,
      unclosed,
    };
  }

  private content(bytes: Uint8Array, resources: PdfDict, owner: ContentOwner): ContentLexer {
    const lexer = new ContentLexer(bytes);
    const outer = { lexer: this.lexer, resources: this.resources, owner: this.owner };
    this.lexer = lexer;
    this.resources = resources;
    this.owner = owner;
    const base = this.stack.length;
    const outermost = this.standing;
    let count = 0;
    for (let code = lexer.next(); code >= 0; code = lexer.next()) {
      count += 1;
      if (count === COUNT_BATCH) {
        this.session.countOperators(count);
        count = 0;
      }
      this.execute(code, lexer, base, outermost);
      if (code === op.MOVE || code === op.LINE || code === op.CURVE) count += this.paths.run(lexer, this.state, COUNT_BATCH - 1 - count);
    }
    this.session.countOperators(count);
    this.lexer = outer.lexer;
    this.resources = outer.resources;
    this.owner = outer.owner;
    return lexer;
  }

  private execute(code: number, lexer: ContentLexer, base: number, outermost: Standing): void {
    const { state } = this;
    const { path } = this.paths;
    if (this.paths.execute(code, lexer, state)) return;
    switch (code) {
      case op.STROKE:
        this.paint(true, false);
        return;
      case op.CLOSE_STROKE:
        path.close();
        this.paint(true, false);
        return;
      case op.FILL:
      case op.FILL_OLD:
      case op.FILL_EVEN_ODD:
        this.paint(false, true);
        return;
      case op.FILL_STROKE:
      case op.FILL_STROKE_EVEN_ODD:
        this.paint(true, true);
        return;
      case op.CLOSE_FILL_STROKE:
      case op.CLOSE_FILL_STROKE_EVEN_ODD:
        path.close();
        this.paint(true, true);
        return;
      case op.END_PATH:
        this.endPath();
        return;
      case op.CLIP:
      case op.CLIP_EVEN_ODD:
        this.pendingClip = true;
        return;
      case op.SAVE:
        this.stack.push(state);
        if (this.stack.length > this.session.limits.maxStateDepth) tooComplex('levels of saved graphics state (q)', this.session.limits.maxStateDepth);
        this.state = state.copy();
        return;
      case op.RESTORE:
        this.restore(base);
        return;
      case op.MATRIX:
        state.transform(lexer.number(0), lexer.number(1), lexer.number(2), lexer.number(3), lexer.number(4), lexer.number(5));
        return;
      case op.XOBJECT:
        this.xObject(lexer.name(lexer.operandCount - 1));
        return;
      case op.BEGIN_MARKED:
        this.standing = enter(this.session, this.standing, null);
        return;
      case op.BEGIN_MARKED_PROPERTIES:
        this.beginMarked(lexer);
        return;
      case op.END_MARKED:
        if (this.standing !== outermost && this.standing.outer !== null) this.standing = this.standing.outer;
        return;
      default:
        if (stateOperator(code, lexer, state, this.session, this.resources)) return;
        if (this.colours.execute(code, lexer, state, this.resources)) return;
        if (this.text.execute(code, lexer, state, this.standing, this.resources)) return;
        this.rareOperator(code, lexer);
    }
  }

  private paint(strokes: boolean, fills: boolean): void {
    const { path } = this.paths;
    if (path.opCount > 0 && Number.isFinite(path.x0 + path.x1 + path.y0 + path.y1)) {
      const cutOnly = this.painter.path(path, this.state, this.standing, strokes, fills);
      if (this.reading === 'glyph') this.extend(grown(path, strokes ? this.state.halfLineWidth(true) : 0));
      if (this.session.onPaint !== null && this.reading === 'page') this.tell(this.session.onPaint, cutOnly, strokes);
    }
    this.endPath();
  }

  private tell(listener: PaintListener, cutOnly: boolean, strokes: boolean): void {
    const { lexer, owner } = this;
    const { path } = this.paths;
    const box = grown(path, strokes ? this.state.halfLineWidth(true) : 0);
    listener({ owner, operatorStart: lexer.operatorStart, operatorLength: lexer.pos - lexer.operatorStart, cutOnly, ...box });
  }

  private extend(box: Box): void {
    this.extent = this.extent === null ? box : unite(this.extent, box);
  }

  private endPath(): void {
    const { path } = this.paths;
    if (this.pendingClip) {
      // A clip without a path clips everything away.
      if (path.opCount === 0) this.state.intersectClip(0, 0, -1, -1);
      else this.state.intersectClip(path.x0, path.y0, path.x1, path.y1);
      this.pendingClip = false;
    }
    path.clear();
  }

  private restore(base: number): void {
    if (this.stack.length <= base) {
      if (this.owner === 'page') {
        this.underflows += 1;
        if (this.underflows > 100_000) tooComplex('Q without q', 100_000);
      }
      return;
    }
    const restored = this.stack.pop();
    if (restored !== undefined) this.state = restored;
  }

  private beginMarked(lexer: ContentLexer): void {
    let optionalContent: PdfObject = null;
    const properties = lexer.name(1);
    if (lexer.name(0) === 'OC' && properties !== null) {
      optionalContent = this.session.store.dict(this.resources, 'Properties')?.get(properties) ?? null;
    }
    this.standing = enter(this.session, this.standing, optionalContent);
  }

  /** Searches the inside of a pattern cell or a glyph, once, for cutting inks. */
  private probe(stream: PdfStream, reading: 'pattern' | 'glyph', resourceHolder: PdfDict): Interpreter | null {
    const { session } = this;
    // Each viewer would have to find its own way out of such a circle, and not all of them do.
    if (this.within.has(stream)) refuse('PDF_TOO_COMPLEX', `A ${reading} of the PDF is painted with itself.`);
    if (session.probed.has(stream)) return null;
    session.probed.add(stream);
    session.countFormCall(this.depth + 1);
    const bytes = session.store.streamBytes(stream);
    if (bytes === null) return null;
    const inner = new Interpreter(session, IDENTITY, EVERYWHERE, NO_STANDING, reading, ` within a ${reading}`);
    inner.depth = this.depth + 1;
    for (const outer of this.within) inner.within.add(outer);
    inner.within.add(stream);
    inner.content(bytes, session.store.dict(resourceHolder, 'Resources') ?? this.resources, stream);
    return inner;
  }

  private probeGlyphs(glyphs: Type3Glyphs): void {
    const { session } = this;
    if (session.probed.has(glyphs.dict) || this.reading === 'glyph') return;
    session.probed.add(glyphs.dict);
    const procedures = session.store.dict(glyphs.dict, 'CharProcs');
    if (procedures === null) return;
    for (const key of [...procedures.map.keys()].slice(0, 256)) {
      const glyph = session.store.value(procedures, key);
      const extent = glyph instanceof PdfStream ? this.probe(glyph, 'glyph', glyphs.dict)?.extent : null;
      if (extent) glyphs.extent = glyphs.extent === null ? extent : unite(glyphs.extent, extent);
    }
  }

  private rareOperator(code: number, lexer: ContentLexer): void {
    switch (code) {
      case op.SHADING:
        this.shading(lexer.name(0));
        return;
      case op.INLINE_IMAGE:
        this.inlineImage(lexer);
        return;
      case op.GLYPH_UNCOLOURED:
        // Colour operators in such a glyph count for nothing: it is painted in the colour of the text.
        if (this.reading === 'glyph') this.colours.ignored = true;
        return;
      case op.GLYPH_COLOURED:
      case op.BEGIN_COMPATIBILITY:
      case op.END_COMPATIBILITY:
      case op.MARK_POINT:
      case op.MARK_POINT_PROPERTIES:
        return;
      default:
        this.session.findings.warn('UNKNOWN_OPERATOR', '', () => 'The page content has operators that are not known; they were passed over.');
    }
  }

  private shading(name: string | null): void {
    const { store } = this.session;
    const shadings = store.dict(this.resources, 'Shading');
    const shading = name === null || shadings === null ? null : store.dict(shadings, name);
    if (shading === null) return;
    const paint = this.colours.shadingPaint(shading, this.resources, `shading /${name ?? ''}`);
    if (paint.cut !== null) return;
    const { state } = this;
    this.painter.other('shading', state, this.standing, state.clip(), paint.invisible ? [] : [paint], state.fillAlpha, `shading /${name ?? ''}`);
  }

  private inlineImage(lexer: ContentLexer): void {
    const image = inlineImageOf(lexer.inlineImage(), this.session.colours, this.resources);
    lexer.skipImageData(image.dataLength);
    this.image(image.isMask, image.colourSpace, 'an inline image');
  }

  private image(isMask: boolean, colourSpace: PdfObject, description: string): void {
    const { state } = this;
    const box = mapBox(UNIT_SQUARE, state.matrix());
    if (this.reading === 'glyph') this.extend(box);
    const paint = isMask || colourSpace === null ? state.fill : this.session.colours.full(this.session.colours.space(colourSpace, this.resources, 0));
    const isInked = paint.space.inks.length > 0 && !paint.invisible;
    const paints = isMask || paint.cut !== null || isInked ? [paint] : [];
    this.painter.other('image', state, this.standing, box, paints, state.fillAlpha, description);
  }

  private xObject(name: string | null): void {
    const { store } = this.session;
    const objects = store.dict(this.resources, 'XObject');
    const object = name === null || objects === null ? null : store.value(objects, name);
    if (!(object instanceof PdfStream)) return;
    const outer = this.standing;
    const optionalContent = object.dict.get('OC');
    if (optionalContent !== null) this.standing = enter(this.session, outer, optionalContent);
    if (store.name(object.dict, 'Subtype') === 'Image') {
      this.noteUndrawn(object.dict);
      this.image(store.value(object.dict, 'ImageMask') === true, object.dict.get('ColorSpace'), `image /${name ?? ''}`);
    } else if (store.name(object.dict, 'Subtype') !== 'PS') this.form(object);
    this.standing = outer;
  }

  /** Where an image lies that the renderer leaves out without a word. Inside a pattern or a glyph it may be anywhere. */
  private noteUndrawn(image: PdfDict): void {
    const { session, state } = this;
    if (isDrawn(session.store, image) || this.standing.unprinted || this.standing.tool !== null || state.fillAlpha <= 0) return;
    const { x0, y0, x1, y1 } = this.reading === 'page' ? intersect(mapBox(UNIT_SQUARE, state.matrix()), state.clip()) : EVERYWHERE;
    session.undrawn.add('image', x0, y0, x1, y1, 'an image that is not drawn');
  }

  private form(form: PdfStream): void {
    const { session } = this;
    this.depth += 1;
    session.countFormCall(this.depth);
    const bytes = session.store.streamBytes(form);
    if (bytes !== null) {
      const saved = this.state;
      const { underflows } = this;
      const inText = this.text.open;
      const base = this.stack.length;
      const outer = this.standing;
      this.state = saved.copy();
      const [a, b, c, d, e, f] = toMatrix(session.store.numbers(form.dict, 'Matrix'));
      this.state.transform(a, b, c, d, e, f);
      const box = toBox(session.store.numbers(form.dict, 'BBox'));
      if (box !== null) {
        const clip = mapBox(box, this.state.matrix());
        this.state.intersectClip(clip.x0, clip.y0, clip.x1, clip.y1);
      }
      this.content(bytes, session.store.dict(form.dict, 'Resources') ?? this.resources, form);
      this.stack.length = base;
      this.standing = outer;
      this.state = saved;
      this.paths.path.clear();
      this.pendingClip = false;
      this.underflows = underflows;
      this.text.open = inText;
    }
    this.depth -= 1;
  }
}
