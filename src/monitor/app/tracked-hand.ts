/**
 * Maps the motion of a hand-held phone or controller, tracked by WebXR, to tool motion. Motion counts only while the
 * clutch is closed, relative to the hand's pose at closing. Pure except for its state; uses no browser API, so that it
 * can be tested without one.
 *
 * WebXR's axes are x right, y up and z towards the user (WebXR Device API, coordinate systems); the robot's base has x
 * forward, y left and z up (REP 103). Forward is the direction in which the operator looks when the clutch first
 * closes.
 */

export interface Xyz {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** An `XRRigidTransform`: m, and a unit quaternion. */
export interface TrackedPose {
  readonly position: Xyz;
  readonly orientation: Xyz & { readonly w: number };
}

/** Options chosen on the page; those set at closing hold until the clutch opens. */
export interface HandOptions {
  /** Tool displacement per hand displacement, (0, 1]. Rotations are not scaled. */
  readonly scale: number;
  /** Direction in which the operator faces, in the robot's base frame: rad about z, 0 along x. */
  readonly facesRad: number;
}

/** Displacement of the hand, for `BrowserInput.pose`. */
export interface HandPose {
  /** Ordinal of the clutch closing, incremented at each; 0 while open. */
  readonly closing: number;
  /** [A] displacement since closing, m and rad, base frame. */
  readonly at: readonly number[];
}

/** Index in x, y, z, yaw of each dimension that a hand can move. */
const PLACES: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2, yaw: 3 };
/** Smallest horizontal part of a view direction that defines a heading; nearly vertical views have none. */
const LEAST_HEADING = 0.2;

/** True if a hand can move the tool through `action`. */
export function canFollowHand(action: {
  readonly kind: string;
  readonly dimensions: readonly { readonly name: string }[];
}): boolean {
  return action.kind === 'cartesian' && action.dimensions.some(({ name }) => name in PLACES);
}

export class TrackedHand {
  readonly #places: readonly (number | undefined)[];
  /** [4] x, y, z (m), yaw (rad) since the clutch closed, base frame. */
  readonly #moved: [number, number, number, number] = [0, 0, 0, 0];
  #from: TrackedPose | undefined;
  #options: HandOptions = { scale: 1, facesRad: 0 };
  /** Heading of the operator's forward direction about WebXR's y, rad from −z; `undefined` before the first closing. */
  #forwardRad: number | undefined;
  #wasHeld = false;
  #closings = 0;

  /** `dimensions`: of the action; those that a hand cannot move stay 0. */
  constructor(dimensions: readonly { readonly name: string }[]) {
    this.#places = dimensions.map(({ name }) => PLACES[name]);
  }

  /**
   * Takes the hand's pose; `undefined` if unknown, which opens the clutch until it is released and closed anew.
   * `viewer`: pose of the viewing phone or headset. `isHeld`: the operator holds the clutch closed.
   */
  update(hand: TrackedPose | undefined, viewer: TrackedPose | undefined, isHeld: boolean, options: HandOptions): void {
    const isClosedNow = isHeld && !this.#wasHeld;
    this.#wasHeld = isHeld;
    if (!isHeld || hand === undefined) this.#from = undefined;
    else if (isClosedNow) this.#close(hand, viewer, options);
    if (this.#from !== undefined && hand !== undefined) this.#follow(this.#from, hand);
  }

  /** Called when the tracking origin has moved: opens the clutch and forgets the heading. */
  forget(): void {
    this.#from = undefined;
    this.#forwardRad = undefined;
  }

  get pose(): HandPose {
    const isClosed = this.#from !== undefined;
    const at = this.#places.map((place) => (isClosed && place !== undefined ? this.#moved[place]! : 0));
    return { closing: isClosed ? this.#closings : 0, at };
  }

  #close(hand: TrackedPose, viewer: TrackedPose | undefined, options: HandOptions): void {
    this.#forwardRad ??= viewer && headingRad(viewer);
    // Unknown heading: the clutch must be closed anew, looking ahead.
    if (this.#forwardRad === undefined) return;
    this.#closings++;
    this.#from = hand;
    this.#options = options;
  }

  #follow(from: TrackedPose, { position, orientation }: TrackedPose): void {
    const { scale, facesRad } = this.#options;
    const x = position.x - from.position.x;
    const z = position.z - from.position.z;
    const heading = this.#forwardRad!;
    const forward = -x * Math.sin(heading) - z * Math.cos(heading);
    const left = -x * Math.cos(heading) + z * Math.sin(heading);
    this.#moved[0] = scale * (forward * Math.cos(facesRad) - left * Math.sin(facesRad));
    this.#moved[1] = scale * (forward * Math.sin(facesRad) + left * Math.cos(facesRad));
    this.#moved[2] = scale * (position.y - from.position.y);
    this.#moved[3] = turnedRad(from.orientation, orientation);
  }
}

/**
 * Heading of a phone or headset, rad about y from −z, counter-clockwise from above: along its camera if held upright,
 * along its upper edge if lying flat. `undefined` if neither defines one.
 */
function headingRad({ orientation: { x, y, z, w } }: TrackedPose): number | undefined {
  // Sum of the horizontal directions of its −z and y.
  const alongX = -2 * (x * z + w * y) + 2 * (x * y - w * z);
  const alongZ = -(1 - 2 * (x * x + y * y)) + 2 * (y * z + w * x);
  return Math.hypot(alongX, alongZ) < LEAST_HEADING ? undefined : Math.atan2(-alongX, -alongZ);
}

/** Turn about the vertical from one orientation to another: the twist about y of q · q₀⁻¹, (−π, π]. */
function turnedRad(from: TrackedPose['orientation'], to: TrackedPose['orientation']): number {
  const w = to.w * from.w + to.x * from.x + to.y * from.y + to.z * from.z;
  const y = -to.w * from.y + to.y * from.w + to.x * from.z - to.z * from.x;
  const rad = 2 * Math.atan2(y, w);
  return rad > Math.PI ? rad - 2 * Math.PI : rad <= -Math.PI ? rad + 2 * Math.PI : rad;
}
