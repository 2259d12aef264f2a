/** Stored registers whose value changes what readings, goals or protection mean: what has to stand there, and what follows where it does not. */
import { type Motor, type SetupProblem, SILENT } from './family.ts';
import type { StoredRule } from './protocol.ts';

/** A rule that a servo does not keep. */
export interface BrokenRule extends StoredRule {
  /** What the register holds, and what it should hold, other bits as they are. */
  readonly found: number;
  readonly value: number;
  /** `phase (register 18) is 28, not 12: it counts turns`. */
  readonly what: string;
}

/** Those of `rules` that a servo does not keep; `read`: a register of it, where it answers. Registers that its model has not are left out. */
export function brokenRules(
  { model }: Pick<Motor, 'model'>,
  rules: readonly StoredRule[],
  read: (register: string) => number | undefined,
): readonly BrokenRule[] {
  const found = new Map<string, number | undefined>();
  return rules.flatMap((rule): readonly BrokenRule[] => {
    const { register, bits, least, most, wanted, consequence } = rule;
    const known = model.registers[register];
    if (known === undefined) return [];
    if (!found.has(register)) found.set(register, read(register));
    const held = found.get(register);
    if (held === undefined) return [];
    const looked = bits === undefined ? held : held & bits;
    if (looked >= least && looked <= most) return [];
    const value = bits === undefined ? wanted : (held & ~bits) | wanted;
    const what = `${register} (register ${known.address}) is ${held}, not ${value}: ${consequence}`;
    return [{ ...rule, found: held, value, what }];
  });
}

/** What keeps a servo from being driven (row 34), one that does not say what it stores too; `rules` and `read` as of `brokenRules`. */
export function undrivenRule(
  motor: Pick<Motor, 'model'>,
  rules: readonly StoredRule[],
  read: (register: string) => number | undefined,
): SetupProblem | undefined {
  const ofMotion = rules.filter(({ changes }) => changes === 'motion');
  let isRead = true;
  const [rule] = brokenRules(motor, ofMotion, (register) => {
    const held = read(register);
    if (held === undefined) isRead = false;
    return held;
  });
  if (!isRead) return SILENT;
  return rule && { what: `is not driven: its ${rule.what} (fault 34)`, calibrate: '--joint' };
}
