/** Side view of an arm as text: in the vertical plane through its base and tool. Pure. */
import { ink, type TextStyle } from './text.ts';

/** Visible part behind and below the base, as shares of the arm's reach. */
const BEHIND = 0.3;
const BELOW = 0.12;
/** Dots of a Braille character, across and down; bits as in Unicode, from U+2800. */
const DOTS = { across: 2, down: 4 } as const;
const BITS = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80] as const;
const BLANK = 0x2800;

/**
 * Draws `height` lines of `width` columns, ≥ 1 each. `pointsM`: [k][3] joints from the base to the tool, which is
 * marked, in the base frame, m. The scale depends on the link lengths alone, so that it stays constant while the arm
 * moves; what lies beyond is clipped. The floor is z = 0.
 */
export function sideView(
  pointsM: readonly (readonly number[])[],
  width: number,
  height: number,
  style: TextStyle,
): string[] {
  const canvas = new Canvas(width, height);
  const tool = pointsM.at(-1);
  if (tool !== undefined && pointsM.flat().every(Number.isFinite)) {
    const [x = 0, y = 0] = tool;
    const reachM = Math.max(1e-3, lengthOf(pointsM));
    const out = Math.hypot(x, y);
    // A tool above the base leaves the plane undefined.
    const [alongX, alongY] = out < 0.01 * reachM ? [1, 0] : [x / out, y / out];
    const perDotM = reachM * Math.max((1 + BEHIND) / (DOTS.across * width), (1 + BELOW) / (DOTS.down * height));
    const place = ([px = 0, py = 0, pz = 0]: readonly number[]): Dot => ({
      right: (px * alongX + py * alongY + BEHIND * reachM) / perDotM,
      up: (pz + BELOW * reachM) / perDotM,
    });
    const floor = place([0, 0, 0]).up;
    canvas.line({ right: 0, up: floor }, { right: DOTS.across * width, up: floor }, 3);
    const dots = pointsM.map(place);
    for (const [i, dot] of dots.entries()) canvas.line(dots[i - 1] ?? { ...dot, up: floor }, dot, 1);
    canvas.mark(dots.at(-1)!);
  }
  return canvas.lines(style);
}

/** Length of the chain, m. */
function lengthOf(pointsM: readonly (readonly number[])[]): number {
  return pointsM.reduce((sum, [x = 0, y = 0, z = 0], i) => {
    const [bx = 0, by = 0, bz = 0] = pointsM[i - 1] ?? [x, y, 0];
    return sum + Math.hypot(x - bx, y - by, z - bz);
  }, 0);
}

/** Position from the lower left corner, in dots. */
interface Dot {
  readonly right: number;
  readonly up: number;
}

class Canvas {
  readonly #width: number;
  readonly #height: number;
  /** Bits of each character, row-major from the top. */
  readonly #cells: Uint8Array;
  #marked = -1;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#cells = new Uint8Array(width * height);
  }

  /** Draws every `every`-th dot between two points. */
  line(from: Dot, to: Dot, every: number): void {
    const count = Math.ceil(Math.max(Math.abs(to.right - from.right), Math.abs(to.up - from.up), 1));
    for (let i = 0; i <= count; i += every) {
      const share = i / count;
      this.#set(from.right + share * (to.right - from.right), from.up + share * (to.up - from.up));
    }
  }

  mark({ right, up }: Dot): void {
    this.#marked = this.#cellOf(Math.floor(right), this.#rowOf(up));
  }

  lines(style: TextStyle): string[] {
    return Array.from({ length: this.#height }, (_, row) => {
      const cells = Array.from({ length: this.#width }, (_, column) => this.#glyph(row * this.#width + column, style));
      return cells.join('');
    });
  }

  #set(right: number, up: number): void {
    const [x, y] = [Math.floor(right), this.#rowOf(up)];
    const cell = this.#cellOf(x, y);
    if (cell >= 0) this.#cells[cell]! |= BITS[(y % DOTS.down) * DOTS.across + (x % DOTS.across)]!;
  }

  /** Rows of dots count from the top. */
  #rowOf(up: number): number {
    return DOTS.down * this.#height - 1 - Math.floor(up);
  }

  /** Index of the character; −1 beyond the edges. */
  #cellOf(x: number, y: number): number {
    const isInside = x >= 0 && y >= 0 && x < DOTS.across * this.#width && y < DOTS.down * this.#height;
    return isInside ? Math.floor(y / DOTS.down) * this.#width + Math.floor(x / DOTS.across) : -1;
  }

  #glyph(cell: number, style: TextStyle): string {
    const bits = this.#cells[cell]!;
    if (cell === this.#marked) return ink(style, 'yellow', '+');
    if (bits === 0) return ' ';
    return ink(style, 'cyan', style.glyphs === 'ascii' ? '#' : String.fromCharCode(BLANK + bits));
  }
}
