import { describe, expect, it } from 'vitest';
import { sideView } from './side-view.ts';
import { columns, PLAIN, stripAnsi, type TextStyle } from './text.ts';

const ASCII: TextStyle = { colour: 'none', glyphs: 'ascii' };
const UP = [
  [0, 0, 0],
  [0, 0, 1],
];
/** Up, then out along a direction of the floor. */
const bent = (x: number, y: number): number[][] => [...UP, [x, y, 1]];

describe('an arm from the side', () => {
  it('stands on its floor, with its tool marked where it is', () => {
    const lines = sideView(bent(1, 0), 24, 12, ASCII);
    expect(lines.map((line) => line.trimEnd())).toMatchInlineSnapshot(`
      [
        "",
        "",
        "",
        "",
        "",
        "",
        "     #########+",
        "     #",
        "     #",
        "     #",
        "## ##### ## ## ## ## ##",
        "",
      ]
    `);
  });

  it('looks the same wherever it has turned to, and is as large while it moves', () => {
    expect(sideView(bent(0, -1), 40, 12, PLAIN)).toEqual(sideView(bent(1, 0), 40, 12, PLAIN));
    const floorOf = (points: number[][]): number =>
      sideView(points, 40, 12, ASCII).findLastIndex((line) => line.includes('#'));
    expect(floorOf([...UP, [0, 0, 2]])).toBe(floorOf(bent(1, 0)));
  });

  it('keeps its size, and draws nothing of numbers that are none', () => {
    for (const points of [[], [[Number.NaN, 0, 0]], [[0, 0, 0]], bent(1e9, 0)]) {
      for (const style of [ASCII, PLAIN, { colour: 'ansi', glyphs: 'unicode' } as const]) {
        const lines = sideView(points, 30, 8, style);
        expect(lines).toHaveLength(8);
        for (const line of lines) expect(columns(line)).toBe(30);
      }
    }
    expect(sideView([[Number.NaN, 0, 0]], 5, 2, PLAIN).map(stripAnsi)).toEqual(['     ', '     ']);
  });
});
