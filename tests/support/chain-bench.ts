/** The safety chain on a bench: a robot that follows exactly, and a clock. */
import type { ActionSpec, RobotModel } from '../../src/model/index.ts';
import { type ActionCommand, createRobotState, type RobotState } from '../../src/rows/index.ts';
import { type ChainReport, createChainReport } from '../../src/safety/chain-report.ts';
import { SafetyChain } from '../../src/safety/index.ts';
import { cartesianSpec, createCommand } from './adversary.ts';
import { ur5eLike } from './robot-models.ts';
import { times } from './times.ts';

/** A chain, a robot that follows it exactly unless told otherwise, and a clock. */
export class Bench {
  readonly chain: SafetyChain;
  readonly state: RobotState;
  readonly report: ChainReport = createChainReport();
  readonly command: ActionCommand;
  readonly periodS: number;
  nowS = 100;
  bits = 0;

  constructor(model: RobotModel, action: ActionSpec, handoverS?: number) {
    this.periodS = 1 / model.controlHz;
    this.chain = new SafetyChain({
      model,
      action,
      policyPeriodS: 0.1,
      ...(handoverS === undefined ? {} : { handoverS }),
    });
    this.state = createRobotState(model.joints.length, 0);
    this.command = createCommand(action.dimensions.length, 0.15);
    this.state.positionRad.set(model.homeRad);
    if (this.chain.seed(this.state.positionRad) !== 'ok') throw new RangeError('the home pose is no start');
  }

  issue(...action: number[]): void {
    this.command.action.set(action);
    this.command.seq++;
    this.command.issuedAtS = this.nowS;
  }

  tick(command: ActionCommand | null = this.command): number {
    this.chain.apply(command, this.state, times(this.periodS, this.nowS), this.report);
    this.state.positionRad.set(this.chain.referenceRad);
    this.nowS += this.periodS;
    this.bits |= this.report.bits;
    return this.report.bits;
  }

  run(ticks: number): void {
    for (let k = 0; k < ticks; k++) this.tick();
  }

  speed(): number {
    return Math.max(...this.chain.referenceVelocityRadPerS.map(Math.abs));
  }
}

/** A UR5e-like arm whose tool is moved. */
export function toolBench(): Bench {
  return new Bench(ur5eLike, cartesianSpec(0.008, 0.05));
}
