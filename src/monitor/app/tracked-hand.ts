/**
 * A phone or a controller in a person's hand, as WebXR sees it, and what its motion asks of a tool. Motion counts only while the clutch is
 * held closed, and from where the hand was when it closed. Pure but for its memory; knows no browser, so that it is tried without one.
 *
 * WebXR's axes are x right, y up and z towards the person (WebXR Device API, coordinate systems); the robot's base has x forward, y left and z
 * up (REP 103). Which way forward is the person shows: it is where they look when the clutch closes first.
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

/** What is chosen on the page; what holds when the clutch closes holds until it opens. */
export interface HandOptions {
  /** Way of the tool per way of the hand, (0, 1]. Turns are not scaled. */
  readonly scale: number;
  /** Which way the person faces, in the robot's base: rad about z, 0 along x. */
  readonly facesRad: number;
}

/** Where the hand has gone, for `BrowserInput.pose`. */
export interface HandPose {
  /** Number of the closing of the clutch, another at each; 0 while it is open. */
  readonly closing: number;
  /** [A] m and rad since it closed, base frame. */
  readonly at: readonly number[];
}

/** Place of each dimension that a hand can move in x, y, z, yaw. */
const PLACES: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2, yaw: 3 };
/** A look that is nearly straight up or down has no direction. */
const LEAST_HEADING = 0.2;

/** Whether a hand can move a tool by `action`. */
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
  /** Heading of the person's forward about WebXR's y, rad from −z; `undefined` before the first closing. */
  #forwardRad: number | undefined;
  #wasHeld = false;
  #closings = 0;

  /** `dimensions`: of the action; those that no hand moves stay. */
  constructor(dimensions: readonly { readonly name: string }[]) {
    this.#places = dimensions.map(({ name }) => PLACES[name]);
  }

  /**
   * Takes where the hand is; `undefined` where that is not known, which opens the clutch until it is let go of and closed anew. `viewer`:
   * pose of whoever looks, phone or headset. `isHeld`: the person holds the clutch closed.
   */
  update(hand: TrackedPose | undefined, viewer: TrackedPose | undefined, isHeld: boolean, options: HandOptions): void {
    const isClosedNow = isHeld && !this.#wasHeld;
    this.#wasHeld = isHeld;
    if (!isHeld || hand === undefined) this.#from = undefined;
    else if (isClosedNow) this.#close(hand, viewer, options);
    if (this.#from !== undefined && hand !== undefined) this.#follow(this.#from, hand);
  }

  /** The world has moved under the hand: nothing that is known of it holds any more. */
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
    // Which way is forward is not known: close it anew, looking ahead.
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
 * Which way a phone or a headset looks, rad about y from −z, counter-clockwise from above: along its camera where it is held upright, along its
 * upper edge where it lies flat. `undefined` where that is neither here nor there.
 */
function headingRad({ orientation: { x, y, z, w } }: TrackedPose): number | undefined {
  // The sum of where its −z and its y point to, on the ground.
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
