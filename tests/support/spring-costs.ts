/** What a tank's port answers, as numbers. */
import type { JointPort } from '../../src/safety/tank/joint-port.ts';
import { BOOKED, BOOKED_WITH_BRAKE, INJECTED, WITH_BRAKE } from '../../src/safety/tank/port.ts';

export function injectedJ(port: JointPort, candidateRad: ArrayLike<number>): number {
  port.price(candidateRad);
  return port.costJ[INJECTED]!;
}

export function bookedJ(port: JointPort, candidateRad: ArrayLike<number>): number {
  port.price(candidateRad);
  return port.costJ[BOOKED]!;
}

type BrakeArguments = [candidateRad: ArrayLike<number>, velocity: ArrayLike<number>, brakeS: number];

export function withBrakeJ(port: JointPort, ...[candidateRad, velocity, brakeS]: BrakeArguments): number {
  port.priceWithBrake(candidateRad, velocity, Float64Array.of(brakeS));
  return port.costJ[WITH_BRAKE]!;
}

export function bookedWithBrakeJ(port: JointPort, ...[candidateRad, velocity, brakeS]: BrakeArguments): number {
  port.priceWithBrake(candidateRad, velocity, Float64Array.of(brakeS));
  return port.costJ[BOOKED_WITH_BRAKE]!;
}

export function sentJ(port: JointPort, candidateRad: ArrayLike<number>): number {
  port.send(candidateRad);
  return port.costJ[BOOKED]!;
}
