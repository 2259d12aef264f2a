/**
 * Phone or headset controller as an input device (WebXR): the browser reports its pose, `tracked-hand.ts` maps that to
 * tool motion. The clutch is a finger on a phone's screen, and a controller's squeeze or trigger.
 */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { device, setHand, speed, takeOver } from './operate.ts';
import { ask, run } from './stream.ts';
import { canFollowHand, type HandOptions, TrackedHand } from './tracked-hand.ts';

/** Session modes with poses, preferred first: one that shows the robot, one that does not. Inline sessions have no tracked position. */
const MODES = ['immersive-ar', 'immersive-vr'] as const;

/** Directions in which an operator faces at each place, rad about z of the robot's base. */
const PLACES = [
  { name: 'behind it', facesRad: 0 },
  { name: 'at its left', facesRad: -Math.PI / 2 },
  { name: 'in front of it', facesRad: Math.PI },
  { name: 'at its right', facesRad: Math.PI / 2 },
] as const;

/** Session mode available here; `undefined` while unknown, or if there is none. */
const mode = signal<(typeof MODES)[number] | undefined>(undefined);
/** Reason why it is unavailable or failed, one sentence. */
const problem = signal('');
const isOn = signal(false);
const isClosed = signal(false);
const facesRad = signal<number>(0);
const options = computed((): HandOptions => ({ scale: speed.value, facesRad: facesRad.value }));

/** Queries the browser once. */
async function look(): Promise<void> {
  if (!isSecureContext) {
    problem.value = 'A phone or headset in the hand needs this page over https, or at localhost (rein watch).';
    return;
  }
  const { xr } = navigator;
  for (const each of MODES) {
    if (mode.value === undefined && (await xr?.isSessionSupported(each).catch(() => false)) === true) mode.value = each;
  }
  if (mode.value === undefined) problem.value = 'This browser has no phone or headset to track (WebXR).';
}

/** Starts a session; browsers require a user gesture for it. */
async function begin(overlay: HTMLElement): Promise<void> {
  problem.value = '';
  try {
    const session = await navigator.xr!.requestSession(mode.value!, {
      requiredFeatures: ['local'],
      optionalFeatures: ['dom-overlay'],
      domOverlay: { root: overlay },
    });
    await new Tracking(session).begin();
  } catch (error) {
    problem.value = `The browser does not track: ${(error as Error).message}`;
  }
}

interface Held {
  readonly source: XRInputSource;
  /** Event that releases it. */
  readonly until: 'selectend' | 'squeezeend';
}

let current: Tracking | undefined;

/** One session, from the button press to its end by the button, the system or the page. */
class Tracking {
  readonly #session: XRSession;
  readonly #hand: TrackedHand = new TrackedHand(run.value?.task.action.dimensions ?? []);
  #held: Held | undefined;
  #hasStopped = false;

  constructor(session: XRSession) {
    this.#session = session;
  }

  async begin(): Promise<void> {
    const session = this.#session;
    current = this;
    session.addEventListener('end', () => this.#over());
    for (const [press, until] of [
      ['selectstart', 'selectend'],
      ['squeezestart', 'squeezeend'],
    ] as const) {
      session.addEventListener(press, ({ inputSource }) => this.#press({ source: inputSource, until }));
      session.addEventListener(until, ({ inputSource }) => {
        if (this.#held?.source === inputSource && this.#held.until === until) this.#held = undefined;
      });
    }
    session.addEventListener('inputsourceschange', ({ removed }) => {
      if (this.#held !== undefined && removed.includes(this.#held.source)) this.#held = undefined;
    });
    try {
      const draw = this.#canvas();
      const space = await session.requestReferenceSpace('local');
      space.addEventListener('reset', () => this.#hand.forget());
      const onFrame = (_: number, frame: XRFrame): void => {
        session.requestAnimationFrame(onFrame);
        draw();
        this.#look(frame, space);
      };
      session.requestAnimationFrame(onFrame);
      isOn.value = true;
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.#session.end();
  }

  #over(): void {
    current = undefined;
    isOn.value = false;
    isClosed.value = false;
    setHand(undefined);
  }

  /** The first source pressed counts until released. Gaze input is no hand. */
  #press(held: Held): void {
    const { targetRayMode, profiles } = held.source;
    if (this.#held !== undefined || targetRayMode === 'gaze') return;
    this.#held = held;
    device.value = `webxr ${targetRayMode === 'screen' ? 'phone' : (profiles[0] ?? 'controller')}`.slice(0, 60);
    takeOver();
  }

  /** Frames require a layer to draw into. It is cleared to transparent: the camera's picture, or black. */
  #canvas(): () => void {
    const gl = document.createElement('canvas').getContext('webgl', { xrCompatible: true });
    if (gl === null) throw new Error('it cannot draw in 3-D here.');
    const layer = new XRWebGLLayer(this.#session, gl);
    void this.#session.updateRenderState({ baseLayer: layer });
    return () => {
      gl.bindFramebuffer(gl.FRAMEBUFFER, layer.framebuffer);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
    };
  }

  #look(frame: XRFrame, space: XRReferenceSpace): void {
    const viewer = measured(frame.getViewerPose(space));
    const source = this.#held?.source;
    const at = source?.gripSpace ?? source?.targetRaySpace;
    const hand = source?.targetRayMode === 'screen' ? viewer : at && measured(frame.getPose(at, space));
    // An operator who looks at something else in the headset does not drive.
    const isHeld = source !== undefined && this.#session.visibilityState === 'visible';
    this.#hand.update(hand, viewer, isHeld, options.value);
    const { pose } = this.#hand;
    isClosed.value = pose.closing !== 0;
    setHand(pose);
    this.#seeStop();
  }

  /** A headset's wearer sees no page: A, B, X and Y of either controller stop. */
  #seeStop(): void {
    const { inputSources } = this.#session;
    const isPressed = [...inputSources].some(({ gamepad }) =>
      gamepad?.buttons.slice(FACE_BUTTONS).some(({ pressed }) => pressed),
    );
    if (isPressed && !this.#hasStopped) ask({ kind: 'stop' });
    this.#hasStopped = isPressed;
  }
}

/** First index of A, B, X, Y in the mapping `xr-standard` (WebXR Gamepads Module), after trigger, squeeze, touchpad and thumbstick. */
const FACE_BUTTONS = 4;

/** Rejects positions that the browser only emulates, as for a device with orientation tracking alone. */
function measured(pose: XRPose | undefined): XRRigidTransform | undefined {
  return pose === undefined || pose.emulatedPosition ? undefined : pose.transform;
}

/** A finger on these buttons does not close the clutch. */
function keepFromClutch(buttons: HTMLElement | null): void {
  buttons?.addEventListener('beforexrselect', preventIt);
}

const preventIt = (event: Event): void => event.preventDefault();

export function HandTracking() {
  const overlay = useRef<HTMLDivElement>(null);
  useEffect(() => void look(), []);
  // Tracking ends when its view is unmounted.
  useEffect(() => () => void current?.end(), []);
  const action = run.value?.task.action;
  if (action === undefined || !canFollowHand(action)) return null;
  return (
    <div class="hand">
      {mode.value === undefined ? null : (
        <>
          <button
            type="button"
            id="track"
            onClick={() => (isOn.value ? current?.end() : overlay.current && begin(overlay.current))}
          >
            {isOn.value ? 'Track the hand no more' : 'Move it with this phone or a controller'}
          </button>
          <label>
            I stand{' '}
            <select
              id="stands"
              value={String(facesRad.value)}
              onChange={({ currentTarget }) => {
                facesRad.value = Number(currentTarget.value);
              }}
            >
              {PLACES.map((place) => (
                <option key={place.name} value={String(place.facesRad)}>
                  {place.name}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
      {problem.value === '' ? null : <p class="soft">{problem.value}</p>}
      <div class="over-camera" ref={overlay} hidden={!isOn.value}>
        <strong>
          {isClosed.value ? 'It follows your hand.' : 'Hold a finger here, or squeeze: it follows your hand.'}
        </strong>
        <div class="buttons" ref={keepFromClutch}>
          <button type="button" class="stop" onClick={() => ask({ kind: 'stop' })}>
            Stop
          </button>
          <button type="button" onClick={() => current?.end()}>
            End
          </button>
        </div>
      </div>
    </div>
  );
}
