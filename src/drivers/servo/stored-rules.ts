/** Rules for stored registers that affect the meaning of readings, goals or protection: required values, and consequences of others. */
import { type Motor, type SetupProblem, SILENT } from './family.ts';
import type { StoredRule } from './protocol.ts';

/** Rule that a servo violates. */
export interface BrokenRule extends StoredRule {
  /** Value in the register, and value that it should hold, other bits unchanged. */
  readonly found: number;
  readonly value: number;
  /** E.g. `phase (register 18) is 28, not 12: it counts turns`. */
  readonly what: string;
}

/** Returns the rules that a servo violates; `read`: value of a register, if it answers. Registers that its model lacks are skipped. */
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

/** Returns what keeps a servo from being driven (row 34), including unreadable stored values; `rules` and `read` as in `brokenRules`. */
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
