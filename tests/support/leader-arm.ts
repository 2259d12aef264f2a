/** A source with a pose of its own, as a leader arm or a pose tracker is one: for tests, which move it by hand. */
import type { TeleopCommand, TeleopSource } from '../../src/teleop/index.ts';

export class LeaderArm implements TeleopSource {
  readonly name = 'leader arm';
  readonly decidedBy = 'human';
  /** [A] where it is, m and rad. */
  readonly pose: Float64Array;
  #closings = 0;
  #closing = 0;
  #isInControl = false;

  constructor(pose: ArrayLike<number>) {
    this.pose = Float64Array.from(pose);
  }

  takeOver(): void {
    this.#isInControl = true;
  }

  /** The person closes the clutch, or opens it. */
  clutch(state: 'closed' | 'open'): void {
    this.#closing = state === 'closed' ? ++this.#closings : 0;
  }

  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    out.active = this.#isInControl;
    out.phase = 'correct';
    out.absolute = { source: this.name, closing: this.#closing, pose: this.pose };
  }

  giveBack(): void {
    this.#isInControl = false;
  }

  onControlLost(): void {
    this.giveBack();
  }

  reset(): void {}

  close(): void {
    this.giveBack();
  }
}
