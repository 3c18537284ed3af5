import type { ContentLexer } from './content-lexer.ts';
import type { GraphicsState } from './graphics-state.ts';
import * as op from './operators.ts';
import { PathBuffer, addCurve, addRectangle } from './path-buffer.ts';
import { PathRun } from './path-run.ts';

/** The operators that build a path. */
export class PathOperators {
  readonly path: PathBuffer;
  private readonly pathRun: PathRun;
  private currentX = 0;
  private currentY = 0;
  private startX = 0;
  private startY = 0;

  constructor(maxPoints: number, mostAtOnce: number) {
    this.path = new PathBuffer(maxPoints);
    this.pathRun = new PathRun(mostAtOnce);
  }

  /** Whether the operator is one of them. */
  execute(code: number, lexer: ContentLexer, state: GraphicsState): boolean {
    const { path } = this;
    switch (code) {
      case op.LINE: {
        const x = lexer.number(0);
        const y = lexer.number(1);
        path.line(state.a * x + state.c * y + state.e, state.b * x + state.d * y + state.f);
        this.currentX = x;
        this.currentY = y;
        return true;
      }
      case op.MOVE: {
        const x = lexer.number(0);
        const y = lexer.number(1);
        path.move(state.a * x + state.c * y + state.e, state.b * x + state.d * y + state.f);
        this.currentX = x;
        this.currentY = y;
        this.startX = x;
        this.startY = y;
        return true;
      }
      case op.CURVE:
        this.curve(state, lexer.number(0), lexer.number(1), lexer.number(2), lexer.number(3), lexer.number(4), lexer.number(5));
        return true;
      case op.CURVE_FROM_CURRENT:
        this.curve(state, this.currentX, this.currentY, lexer.number(0), lexer.number(1), lexer.number(2), lexer.number(3));
        return true;
      case op.CURVE_TO_END:
        this.curve(state, lexer.number(0), lexer.number(1), lexer.number(2), lexer.number(3), lexer.number(2), lexer.number(3));
        return true;
      case op.CLOSE:
        path.close();
        // What follows without a move starts where the closed subpath did (ISO 32000-1, table 59).
        this.currentX = this.startX;
        this.currentY = this.startY;
        return true;
      case op.RECTANGLE:
        addRectangle(path, state, lexer.number(0), lexer.number(1), lexer.number(2), lexer.number(3));
        this.startX = lexer.number(0);
        this.startY = lexer.number(1);
        this.currentX = this.startX;
        this.currentY = this.startY;
        return true;
      default:
        return false;
    }
  }

  /** Takes the lines and curves that come next, as far as they are plain ones, past the lexer; at most so many. Returns how many. */
  run(lexer: ContentLexer, state: GraphicsState, most: number): number {
    const { pathRun } = this;
    pathRun.read(lexer.bytes, lexer.pos, this.path, state, most);
    const { operatorCount } = pathRun;
    if (operatorCount > 0) {
      this.path.addWritten(pathRun);
      lexer.pos = pathRun.end;
      this.currentX = pathRun.x;
      this.currentY = pathRun.y;
    }
    return operatorCount;
  }

  private curve(state: GraphicsState, x1: number, y1: number, x2: number, y2: number, x3: number, y3: number): void {
    addCurve(this.path, state, x1, y1, x2, y2, x3, y3);
    this.currentX = x3;
    this.currentY = y3;
  }
}
