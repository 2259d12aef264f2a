/** Kinematic tree of an arm and bounds of how far a link's points can be from each joint: all that is independent of the pose. */
import { parentOf, toolLinkOf } from './robot-defaults.ts';
import type { RobotModel } from './robot-model.ts';

/** Tree of one arm's links. A link has the name and number of the joint that moves it; −1 is the base. */
export class LinkTopology {
  /** [n] number of the parent link of joint i; −1 for the base. */
  readonly parents: Int32Array;
  /** Number of the link that carries the tool. */
  readonly toolLink: number;
  readonly #model: RobotModel;
  /** [n·n] 1 if joint `row` moves link `column`. */
  readonly #moves: Uint8Array;

  /** Throws `RangeError` for a parent or tool link that does not exist or comes later in the list. */
  constructor(model: RobotModel) {
    const n = model.joints.length;
    this.#model = model;
    this.parents = Int32Array.from(model.joints, ({ name }, i) => {
      const parent = parentOf(model.joints, i);
      const found = this.link(parent);
      if (found >= i) throw new RangeError(`the parent of ${name}, ${parent}, must come before it`);
      return found;
    });
    this.toolLink = this.link(toolLinkOf(model));
    this.#moves = new Uint8Array(n * n);
    for (let link = 0; link < n; link++) {
      for (let i = link; i >= 0; i = this.parents[i]!) this.#moves[n * i + link] = 1;
    }
  }

  /** Number of the link moved by the joint `name`; −1 for `base`. Throws `RangeError` if there is none. */
  link(name: string): number {
    const found = this.#model.joints.findIndex((joint) => joint.name === name);
    if (found < 0 && name !== 'base') {
      const names = this.#model.joints.map((joint) => joint.name).join(', ');
      throw new RangeError(`no joint is called ${name}; there are ${names}`);
    }
    return found;
  }

  /** True if joint `joint` moves link `link` (−1: never). Tick-safe. */
  moves(joint: number, link: number): boolean {
    return link >= 0 && this.#moves[this.parents.length * joint + link] === 1;
  }

  /** True if joint `joint` moves the tool; others, such as a gripper's, may be moved independently of it. Tick-safe. */
  carriesTool(joint: number): boolean {
    return this.moves(joint, this.toolLink);
  }

  /** True if joint `joint` is prismatic. Tick-safe. */
  slides(joint: number): boolean {
    return this.#model.joints[joint]!.kind === 'prismatic';
  }

  /**
   * [n] pose-independent upper bound of |∂p/∂q_i| for the point p at `pointM` of link `link`: the sum of the lengths between
   * joint i and the point (m/rad), 1 for a prismatic joint, 0 for one that does not move it.
   */
  reach(link: number, pointM: ArrayLike<number>): Float64Array {
    const reach = new Float64Array(this.parents.length);
    let length = Math.hypot(pointM[0]!, pointM[1]!, pointM[2]!);
    for (let i = link; i >= 0; i = this.parents[i]!) {
      const { originXyzM, positionMinRad, positionMaxRad } = this.#model.joints[i]!;
      if (this.slides(i)) length += Math.max(Math.abs(positionMinRad), Math.abs(positionMaxRad));
      reach[i] = this.slides(i) ? 1 : length;
      length += Math.hypot(...originXyzM);
    }
    return reach;
  }
}
