import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyFrame, type GuardFrame } from '../rows/index.ts';
import { PhaseSwitch } from './phase-switch.ts';

/** A frame that is critical by its tick. */
function frameOf(isCritical: boolean): GuardFrame {
  const frame = emptyFrame(1, 0, 1, 0);
  frame.tick = isCritical ? 1 : 0;
  return frame;
}
const isCritical = ({ tick }: GuardFrame): boolean => tick === 1;

it('begins once the rules hold for so many steps in a row, or a person says so, and goes on to the end of the episode', () => {
  const steps = fc.array(fc.record({ holds: fc.boolean(), pressed: fc.integer({ min: 0, max: 5 }) }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(
      fc.array(steps, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 4 }),
      (episodes, forSteps) => {
        const phase = new PhaseSwitch({ isCritical, forSteps });
        for (const episode of episodes) {
          for (const [i, { holds, pressed }] of episode.entries()) {
            if (i === 0) phase.begin(frameOf(holds));
            else phase.see(frameOf(holds));
            const before = episode.slice(0, i + 1);
            const byRule = before.findIndex((_, at) =>
              at + 1 >= forSteps ? before.slice(at + 1 - forSteps, at + 1).every((each) => each.holds) : false,
            );
            const byButton = before.slice(0, i).findIndex((each) => each.pressed === 0);
            const isButtonFirst = byButton >= 0 && (byRule < 0 || byButton < byRule);
            expect(phase.isBase).toBe(byRule < 0 && byButton < 0);
            expect(phase.cause).toBe(isButtonFirst ? 'button' : byRule >= 0 ? 'rule' : undefined);
            const was = phase.isBase;
            if (pressed === 0) expect(phase.press()).toBe(was);
          }
        }
      },
    ),
  );
});
