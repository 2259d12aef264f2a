/** Stored registers required of Dynamixels, beside those set at each start. Source: the e-Manual's page of each model. */
import type { Motor } from '../servo/family.ts';
import type { StoredRule } from '../servo/protocol.ts';
import type { DynamixelModel } from './models.ts';

/** Values of `shadowId` above this obey no other id; the factory value. */
const ID_MAX = 252;
const NO_SHADOW = 255;

/** Returns the rules for `motor`, whose model is the first argument. */
export function dynamixelRules(
  { temperatureMaxC }: DynamixelModel,
  { shadowOf }: Pick<Motor, 'shadowOf'>,
): readonly StoredRule[] {
  const obeysItsOwn: StoredRule = {
    register: 'shadowId',
    least: ID_MAX + 1,
    most: NO_SHADOW,
    wanted: NO_SHADOW,
    changes: 'motion',
    consequence: 'it also obeys goals sent to that id',
  };
  return [
    // The `shadowId` of a second servo is set at each start.
    ...(shadowOf === undefined ? [obeysItsOwn] : []),
    {
      register: 'startupConfiguration',
      least: 0,
      most: 0,
      wanted: 0,
      changes: 'motion',
      consequence: 'it may turn its torque on by itself at power-up',
    },
    {
      register: 'temperatureMax',
      least: 40,
      most: temperatureMaxC,
      wanted: temperatureMaxC,
      changes: 'protection',
      consequence: 'its overheating protection trips too late, or always',
    },
  ];
}
